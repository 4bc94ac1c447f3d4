// Copies files into the documents of a package: the code block below `<!-- path -->` is replaced by the content of that
// file. Run this script in the folder of the package, with the paths of the documents as arguments.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of a package, and the path of one of its documents. */
export type Documents = { home: string; document: string };

/** Returns the document with the current files, and the paths of these files. */
export function embedFiles({ home, document }: Documents): { text: string; files: string[] } {
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
  for (const document of process.argv.slice(2)) {
    writeFileSync(document, embedFiles({ home: process.cwd(), document }).text);
  }
}
