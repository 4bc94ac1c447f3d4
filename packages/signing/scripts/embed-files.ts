// Copies files into the documents: the code block below `<!-- path -->` is the content of that file. `--check` writes
// nothing, and fails if a document differs from its files.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const home = join(import.meta.dirname, '..');
export const DOCUMENTS = ['README.md', 'docs/scheme.md'];

/** Returns the document with the current files, and the paths of these files. */
export function embedFiles(document: string): { text: string; files: string[] } {
  const path = join(home, document);
  const files: string[] = [];
  const text = readFileSync(path, 'utf8').replace(
    /(<!-- (\S+) -->\n+```\w+\n)[\s\S]*?(```\n)/g,
    (_, start: string, name: string, end: string) => {
      files.push(join(dirname(document), name));
      return start + readFileSync(join(dirname(path), name), 'utf8') + end;
    },
  );
  return { text, files };
}

if (import.meta.main) {
  for (const document of DOCUMENTS) {
    const { text } = embedFiles(document);
    const path = join(home, document);
    if (!process.argv.includes('--check')) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text)
      throw new Error(`${document} differs from the files that it shows`);
  }
}
