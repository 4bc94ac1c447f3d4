import { readFile } from 'node:fs/promises';
import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

/** The files of the repository that the api serves as pages, by the path of the page. */
export const PAGES = {
  '/docs/guide': 'docs/guide.md',
  '/docs/limits': 'docs/limits.md',
  '/docs/signatures': 'packages/signing/docs/scheme.md',
} as const;

export type PagePath = keyof typeof PAGES;

/** The path under which the api serves a file of the repository. Links between pages are rewritten to it. */
const PATHS = new Map<string, string>([
  ...Object.entries(PAGES).map(([path, file]) => [file, path] as const),
  ['docs/openapi.json', '/openapi.json'],
]);

const STYLE = `
  :root { color-scheme: light dark; }
  body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
  h1, h2, h3 { line-height: 1.25; margin-top: 2em; }
  h1 { margin-top: 1em; }
  a { color: light-dark(#0550ae, #79c0ff); }
  code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
  code { overflow-wrap: anywhere; }
  pre { padding: 0.75rem 1rem; overflow-x: auto; background: light-dark(#f2f4f7, #1c2128); border-radius: 6px; }
  .table { overflow-x: auto; }
  table { border-collapse: collapse; }
  th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid light-dark(#d8dee4, #373e47); text-align: left; vertical-align: top; }
  nav { display: flex; flex-wrap: wrap; gap: 1rem; }
`;

const NAVIGATION = [
  ['/docs', 'API reference'],
  ['/docs/guide', 'Integrator guide'],
  ['/docs/signatures', 'Signatures'],
  ['/docs/limits', 'Limits'],
];

/**
 * In the bundle, the pages are in a folder next to the program. In the repository, they are at their original place.
 */
const readPage = async (file: string): Promise<string> => {
  try {
    return await readFile(new URL(`pages/${file}`, import.meta.url), 'utf8');
  } catch {
    return readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  }
};

const rendererOf = (file: string): Marked => {
  const marked = new Marked(gfmHeadingId());
  marked.use({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^(https?:|#)/.test(href)) return `<a href="${href}">${text}</a>`;
        const { pathname, hash } = new URL(href, `file:///${file}`);
        const path = PATHS.get(pathname.slice(1));
        return path === undefined ? text : `<a href="${path}${hash}">${text}</a>`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html.replaceAll('<table>', '<div class="table"><table>').replaceAll('</table>', '</table></div>'),
    },
  });
  return marked;
};

/**
 * Renders a page of the repository as HTML. A link to a file that the api does not serve is replaced by its text.
 *
 * @throws {Error} if the build does not contain the page
 */
export const renderPage = async (path: PagePath): Promise<string> => {
  const file = PAGES[path];
  const markdown = await readPage(file);
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? 'Chairside';
  const body = await rendererOf(file).parse(markdown);
  const links = NAVIGATION.map(([to, name]) =>
    to === path ? `<span aria-current="page">${name}</span>` : `<a href="${to}">${name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Chairside</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><nav>${links.join('')}</nav><main>
${body}</main></body>
</html>
`;
};
