import { fileURLToPath } from 'node:url';

/**
 * The options of Node.js with which every service runs, as in its package's `start` script. Below a heap of 384 MiB, V8 collects
 * garbage earlier than below its default of some GiB. The young generation grows to 8 MiB instead of 48 and more.
 */
export const SERVICE_FLAGS: readonly string[] = ['--max-old-space-size=384', '--max-semi-space-size=8'];

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
