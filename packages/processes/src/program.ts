import { fileURLToPath } from 'node:url';

/**
 * The Node.js options of every service, as in the `start` script of its package. With the heap limited to 384 MiB, V8
 * collects garbage earlier than with its default limit of several GiB. Each semi-space of the young generation is
 * limited to 8 MiB. Without this limit, the young generation grows to 48 MiB and more.
 */
export const SERVICE_FLAGS: readonly string[] = ['--max-old-space-size=384', '--max-semi-space-size=8'];

/**
 * The variables of the C library of every service. With one arena, all threads take memory from one heap. By default, glibc
 * gives each thread a heap of its own, which keeps what the thread has freed.
 */
export const SERVICE_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' };

/**
 * Returns the arguments with which Node.js runs a program in the same folder as a module.
 *
 * @param module the `import.meta.url` of the module. If it is a `.ts` file, the program runs from source; otherwise the
 *   built file runs
 * @param name the file name of the program, without its extension
 */
export function nodeArguments(module: string, name: string): string[] {
  const pathOf = (extension: string) => fileURLToPath(new URL(`./${name}.${extension}`, module));
  return module.endsWith('.ts') ? ['--conditions=@chairside/source', pathOf('ts')] : [pathOf('js')];
}
