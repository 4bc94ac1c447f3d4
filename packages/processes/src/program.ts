import { fileURLToPath } from 'node:url';

/**
 * The options of Node.js with which every service runs, as in its package's `start` script: the young generation grows to 8 MiB
 * instead of 48 and more, and the heap to 1.2 times of what it holds, instead of up to four times, before V8 collects garbage.
 */
export const SERVICE_FLAGS: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=20'];

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
