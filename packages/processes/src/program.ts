import { fileURLToPath } from 'node:url';

/**
 * Returns the arguments with which Node.js runs a program in the folder of a module.
 *
 * @param module the `import.meta.url` of the module: a `.ts` file runs from source, any other is built
 * @param name the file name of the program, without its extension
 */
export function nodeArguments(module: string, name: string): string[] {
  const pathOf = (extension: string) => fileURLToPath(new URL(`./${name}.${extension}`, module));
  return module.endsWith('.ts') ? ['--conditions=@chairside/source', pathOf('ts')] : [pathOf('js')];
}
