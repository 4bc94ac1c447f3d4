/**
 * Checks the Markdown files: each link refers to an existing file and heading, each path in code exists, and each
 * `npm run` names a script. Checks the other files too: each document and heading that a message, a comment or an alert
 * names exists. `npm run check` runs it.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked, type Token, type Tokens } from 'marked';

const FOLDERS = ['apps', 'packages', 'docs', 'deploy', 'scripts', 'bench', 'chaos'];
const PATH = new RegExp(`^(?:${FOLDERS.join('|')})/[\\w./-]+\\.\\w+$`);
/** Commands of npm itself, which need no script. */
const OF_NPM = ['exec', 'install', 'ping', 'pack', 'i', 'ci', 'view'];

/** A pattern for files that are not Markdown and may refer to a document. */
const OTHER_FILES = '*.{ts,tsx,mjs,yaml,yml,service,example,sh}';
/** A mention of a document of the project in a text, with a heading or without. */
const DOCUMENT = /(?<![\w./-])(?:[\w.-]+\/)*docs\/[\w./-]+\.md(?:#[\w-]+)?/g;
/** A link in the description of a setting. It is a part of `docs/configuration.md`, so it is relative to this file. */
const LINK_OF_SETTING = /\]\(([\w./-]+\.md(?:#[\w-]+)?)\)/g;

const marked = new Marked();
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const exclude = (path: string): boolean => /(^|\/)(node_modules|dist|\.data|\.changeset)(\/|$)/.test(path);
const files = globSync('**/*.md', { exclude });
const others = [
  ...globSync(['*.{ts,mjs,yaml,yml}', '.env.example', 'Dockerfile']),
  ...globSync([`{${FOLDERS.join(',')}}/**/${OTHER_FILES}`, '.github/**/*.{yml,yaml}'], { exclude }),
];

const tokensOf = (file: string): Token[] => {
  const tokens: Token[] = [];
  marked.walkTokens(marked.lexer(readFileSync(file, 'utf8')), (token) => void tokens.push(token));
  return tokens;
};

const anchors = new Map<string, ReadonlySet<string>>();
const anchorsOf = (file: string): ReadonlySet<string> => {
  const known = anchors.get(file);
  if (known !== undefined) return known;
  const slugger = new GithubSlugger();
  const headings = tokensOf(file).filter((token): token is Tokens.Heading => token.type === 'heading');
  const found = new Set(headings.map(({ text }) => slugger.slug(text.replaceAll(/[`*]/g, ''))));
  anchors.set(file, found);
  return found;
};

const problemOfLink = (file: string, href: string): string | undefined => {
  if (/^[a-z]+:/.test(href)) return undefined;
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(target)) return `links to ${href}, which does not exist`;
  if (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor)) return undefined;
  return `links to ${href}, but ${relative('.', target)} has no such heading`;
};

const problemOfCode = (file: string, text: string): string | undefined => {
  if (PATH.test(text) && !existsSync(text) && !existsSync(join(dirname(file), text))) {
    return `names ${text}, which does not exist`;
  }
  const [, run, command = ''] = /^npm (run )?(?:--silent |-s )?([\w:-]+)/.exec(text) ?? [];
  if (command === '' || command in scripts || (run === undefined && OF_NPM.includes(command)))
    return undefined;
  return `names the command ${text}, but package.json has no such script`;
};

/** A mention is relative to the file, to its package, which may have a folder `docs` of its own, or to the root. */
const problemOfMention = (file: string, mention: string): string | undefined => {
  const [path = ''] = mention.split('#');
  let folder = dirname(file);
  while (folder !== '.' && !existsSync(join(folder, path))) folder = dirname(folder);
  return problemOfLink(join(folder, '_'), mention);
};

const problemsOfText = (file: string): string[] => {
  const text = readFileSync(file, 'utf8');
  return [
    ...Array.from(text.matchAll(DOCUMENT), ([mention]) => problemOfMention(file, mention)),
    ...Array.from(text.matchAll(LINK_OF_SETTING), ([, href = '']) =>
      problemOfLink('docs/configuration.md', href),
    ),
  ].flatMap((problem) => (problem === undefined ? [] : [`${file} ${problem}`]));
};

const problems = files.flatMap((file) =>
  tokensOf(file).flatMap((token) => {
    const found: (string | undefined)[] = [];
    if (token.type === 'link') found.push(problemOfLink(file, token.href));
    if (token.type === 'codespan') found.push(problemOfCode(file, token.text));
    if (token.type === 'code')
      found.push(...token.text.split('\n').map((line: string) => problemOfCode(file, line)));
    return found.filter((problem) => problem !== undefined).map((problem) => `${file} ${problem}`);
  }),
);
problems.push(...others.flatMap(problemsOfText));

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(
  `links: ${files.length} Markdown files have no dead link, path or command, and ${others.length} other files name no missing document`,
);
