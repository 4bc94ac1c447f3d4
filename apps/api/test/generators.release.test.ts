import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

/*
 * Generators in other languages create clients from the document, as docs/guide.md says. The clients are compiled, and those
 * in Python call every GET. It needs Python 3.11, Java and Go.
 */

const source = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const VERSIONS = {
  'openapi-python-client': '0.29.1',
  'openapi-generator-cli': '7.26.0',
};
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

let folder: string;
let api: TestApi;
const at = (...names: string[]): string => join(folder, ...names);
const run = async (file: string, args: readonly string[], options: { cwd?: string; env?: object } = {}) => {
  const env = { ...process.env, ...options.env };
  const { stdout } = await promisify(execFile)(file, args, {
    cwd: folder,
    maxBuffer: 2 ** 26,
    ...options,
    env,
  });
  return stdout;
};
const python = (args: readonly string[], env: object = {}) => run(at('venv/bin/python'), args, { env });
const generate = (generator: string) =>
  run(at('venv/bin/openapi-generator-cli'), [
    'generate',
    '-i',
    'openapi.json',
    '-g',
    generator,
    '-o',
    generator,
  ]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chairside-generators-'));
  // The guide removes the webhooks, which openapi-generator and oapi-codegen turn into code that does not compile.
  const { webhooks: _, ...document } = JSON.parse(await readFile(source, 'utf8'));
  await writeFile(at('openapi.json'), JSON.stringify(document));
  await run('python3', ['-m', 'venv', 'venv']);
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}==${version}`);
  await run(at('venv/bin/pip'), ['install', '--quiet', ...packages, 'httpx', 'attrs', 'python-dateutil']);
  api = await openTestApi();
  const [clinicId] = api.practice.clinicIds;
  const { json } = await api.call('POST', '/api/patients', { body: { clinicId, name: 'Ada' } });
  await api.call('POST', '/api/appointments', { body: { clinicId, patientId: json._id } });
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

/** Calls every GET of the generated package with made-up ids, and prints the number of calls. An exception ends it. */
const COMMON = `
import datetime, importlib, inspect, os, pkgutil
values = {"clinic_id": os.environ["CLINIC"], "var_from": datetime.date(2030, 1, 31), "from_": datetime.date(2030, 1, 31),
          "to": datetime.date(2030, 1, 31), "duration_minutes": 30}
def arguments(function):
    needed = [n for n, p in inspect.signature(function).parameters.items()
              if p.default is inspect.Parameter.empty and p.kind != p.VAR_KEYWORD and n not in ("self", "client")]
    extra = ["duration_minutes"] if "duration_minutes" in inspect.signature(function).parameters else []
    return {n: values.get(n, "none") for n in needed + extra}
calls = 0
`;
const PYTHON_CLIENT = `${COMMON}
import chairside_client.api as root
from chairside_client import AuthenticatedClient
client = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["TOKEN"], prefix="Token")
for found in pkgutil.walk_packages(root.__path__, root.__name__ + "."):
    module = importlib.import_module(found.name)
    if not hasattr(module, "sync_detailed") or '"method": "get"' not in inspect.getsource(module):
        continue
    response = module.sync_detailed(client=client, **arguments(module.sync_detailed))
    # Only a key may get itself.
    expected = (403,) if found.name.endswith(".get_current_api_key") else (200, 404)
    assert response.status_code in expected, (found.name, response)
    calls += 1
print(calls)
`;
const OPENAPI_GENERATOR = `${COMMON}
import openapi_client
from openapi_client.exceptions import ForbiddenException, NotFoundException
settings = openapi_client.Configuration(host=os.environ["URL"], api_key={"accessToken": "Token " + os.environ["TOKEN"]})
settings.ignore_operation_servers = True
client = openapi_client.ApiClient(settings)
client.set_default_header("Authorization", "Token " + os.environ["TOKEN"])
for name, kind in vars(openapi_client).items():
    if not name.endswith("Api") or not inspect.isclass(kind):
        continue
    of_tag = kind(client)
    for method in dir(of_tag):
        if method.startswith("_") or not hasattr(of_tag, method + "_with_http_info") or not hasattr(of_tag, "_" + method + "_serialize"):
            continue
        if "method='GET'" not in inspect.getsource(getattr(of_tag, "_" + method + "_serialize")):
            continue
        function = getattr(of_tag, method)
        try:
            function(**arguments(inspect.unwrap(function)))
        except NotFoundException:
            pass
        except ForbiddenException:
            # Only a key may get itself.
            assert method == "get_current_api_key", method
        calls += 1
print(calls)
`;

const gets = async (): Promise<number> => {
  const { paths } = JSON.parse(await readFile(at('openapi.json'), 'utf8'));
  return Object.values<object>(paths).filter((item) => 'get' in item).length;
};
const environment = () => ({
  URL: api.url,
  TOKEN: api.practice.administrator.token,
  CLINIC: api.practice.clinicIds[0],
});

test('openapi-python-client: the client calls every GET', async () => {
  await run(at('venv/bin/openapi-python-client'), [
    ...['generate', '--path', 'openapi.json', '--output-path', 'opc', '--meta', 'none'],
  ]).catch((error: { stdout: string }) => expect.fail(error.stdout));
  await mkdir(at('opc-root'));
  await run('mv', ['opc', 'opc-root/chairside_client']);
  const stdout = await python(['-c', PYTHON_CLIENT], { ...environment(), PYTHONPATH: at('opc-root') });
  expect(Number(stdout)).toBe(await gets());
});

test('openapi-generator, Python: the client calls every GET', async () => {
  await generate('python');
  await run(at('venv/bin/pip'), ['install', '--quiet', '-r', 'python/requirements.txt']);
  const stdout = await python(['-c', OPENAPI_GENERATOR], { ...environment(), PYTHONPATH: at('python') });
  expect(Number(stdout)).toBe(await gets());
});

test('openapi-generator, Go: the client compiles, and has 64 bits for times of events', async () => {
  await generate('go');
  await run('go', ['build', './...'], { cwd: at('go') });
  expect(await readFile(at('go/model_patient_event.go'), 'utf8')).toMatch(/Timestamp int64/);
});

test('openapi-generator, TypeScript: the client compiles', async () => {
  await generate('typescript-fetch');
  await writeFile(at('package.json'), JSON.stringify({ dependencies: { typescript: '5.9.3' } }));
  await run('npm', ['install', '--no-audit', '--no-fund']);
  const files = await readdir(at('typescript-fetch'));
  const index = files.includes('src') ? 'typescript-fetch/src/index.ts' : 'typescript-fetch/index.ts';
  const options = [
    '--noEmit',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--moduleResolution',
    'bundler',
    '--module',
    'esnext',
  ];
  await run(at('node_modules/.bin/tsc'), [...options, '--lib', 'es2022,dom,dom.iterable', index]).catch(
    (error: { stdout: string }) => expect.fail(error.stdout.slice(0, 2000)),
  );
});

test('oapi-codegen: the client compiles', async () => {
  await run('go', ['install', OAPI_CODEGEN], { env: { GOBIN: at('bin') } });
  await mkdir(at('oapi'));
  await run(at('bin/oapi-codegen'), [
    '-generate',
    'types,client',
    '-package',
    'chairside',
    '-o',
    'oapi/client.go',
    'openapi.json',
  ]);
  await run('go', ['mod', 'init', 'chairside'], { cwd: at('oapi') });
  await run('go', ['mod', 'tidy'], { cwd: at('oapi') });
  await run('go', ['vet', '.'], { cwd: at('oapi') });
  expect(await readFile(at('oapi/client.go'), 'utf8')).toMatch(/Timestamp +int64/);
});
