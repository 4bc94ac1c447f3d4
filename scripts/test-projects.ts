import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * A test file whose imports reach one of these modules belongs to the project `service`. The modules read the addresses
 * of the engines, start an app or an engine as a process, or control a browser.
 */
const STARTERS: readonly string[] = [
  'packages/test-support/src/test-store.ts',
  'packages/test-support/src/app.ts',
  'packages/local-services/src/run-engine.ts',
  'packages/processes/src/server-process.ts',
  'playwright-core',
];

/** An import or a re-export that remains at run time. Without names it concerns the whole module. */
type Import = { request: string; names?: readonly string[] };
type ReExport = { request: string; exported?: string; name?: string };
type Module = { imports: readonly Import[]; reExports: readonly ReExport[]; exported: ReadonlySet<string> };

const readModule = (file: string): Module => {
  const text = readFileSync(file, 'utf8');
  const { module } = parseSync(file, text);
  const imports = module.staticImports.flatMap(({ moduleRequest: { value: request }, entries }): Import[] => {
    const used = entries.filter(({ isType }) => !isType);
    if (used.length === 0) return entries.length === 0 ? [{ request }] : [];
    if (used.some(({ importName }) => importName.kind !== 'Name')) return [{ request }];
    return [{ request, names: used.flatMap(({ importName }) => importName.name ?? []) }];
  });
  const loaded = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    request: text.slice(start + 1, end - 1),
  }));
  const reExports: ReExport[] = [];
  const exported = new Set<string>();
  for (const { moduleRequest, importName, exportName, isType } of module.staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    if (isType) continue;
    if (moduleRequest === null) exported.add(exportName.name ?? 'default');
    else
      reExports.push({
        request: moduleRequest.value,
        ...(exportName.name && { exported: exportName.name }),
        ...(importName.name && { name: importName.name }),
      });
  }
  return { imports: [...imports, ...loaded], reExports, exported };
};

/** Maps each name under which a package of this repository is imported to its source file. */
const readEntries = (root: string): Map<string, string> => {
  const entries = new Map<string, string>();
  for (const path of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
    for (const [door, target] of Object.entries<string | Record<string, string>>(exports)) {
      const source = typeof target === 'string' ? target : target['@chairside/source'];
      if (source !== undefined) entries.set(join(name, door), join(dirname(path), source));
    }
  }
  return entries;
};

/** Reads the modules of a repository, each once. Paths are relative to its folder. */
const openModules = (root: string) => {
  const entries = readEntries(root);
  const modules = new Map<string, Module>();
  const moduleOf = (file: string): Module => {
    const module = modules.get(file) ?? readModule(join(root, file));
    modules.set(file, module);
    return module;
  };
  const resolve = (importer: string, request: string): string | undefined => {
    if (STARTERS.includes(request)) return request;
    if (!request.startsWith('.')) return entries.get(request);
    const file = join(dirname(importer), request);
    return /^\.[jt]sx?$/.test(extname(file)) && existsSync(join(root, file)) ? file : undefined;
  };
  /** Returns the modules that declare an export, not those that only re-export it. */
  const declaring = (file: string, name: string): string[] => {
    if (STARTERS.includes(file)) return [file];
    const { reExports, exported } = moduleOf(file);
    if (exported.has(name)) return [file];
    const named = reExports.filter((each) => each.exported === name);
    const candidates = named.length > 0 ? named : reExports.filter((each) => each.exported === undefined);
    return candidates.flatMap((each) => {
      const target = resolve(file, each.request);
      if (target === undefined) return [];
      return each.exported && !each.name ? [target] : declaring(target, each.name ?? name);
    });
  };
  /** Returns the modules that a module loads. */
  const loadedBy = (file: string): string[] => {
    const { imports, reExports } = moduleOf(file);
    return [...imports, ...reExports.map(({ request }): Import => ({ request }))].flatMap(
      ({ request, names }) => {
        const target = resolve(file, request);
        if (target === undefined) return [];
        return names === undefined ? [target] : names.flatMap((name) => declaring(target, name));
      },
    );
  };
  return { loadedBy };
};

/**
 * Returns the test files that need the engines, the pages of the dashboard or a browser: those whose imports reach one
 * of the STARTERS. A named import is followed to the module that declares the name, so that an import of
 * `@chairside/test-support` counts only for the names that it imports. Imports of types do not count.
 *
 * @param root the folder of the repository
 * @param tests paths relative to it
 */
export const serviceTests = (root: string, tests: readonly string[]): string[] => {
  const { loadedBy } = openModules(root);
  const reaches = (test: string): boolean => {
    const seen = new Set([test]);
    for (const file of seen) {
      if (STARTERS.includes(file)) return true;
      for (const next of loadedBy(file)) seen.add(next);
    }
    return false;
  };
  return tests.filter(reaches);
};
