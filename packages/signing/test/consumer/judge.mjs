// A user's program: checks every vector with the installed package. It runs on every runtime, so it uses only the
// language and atob.

export const names = [
  'sign',
  'createSigner',
  'verify',
  'unwrap',
  'createVerifier',
  'signatureHeader',
  'SignatureError',
];

function decode(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function codeOf(action) {
  try {
    await action();
    return 'accept';
  } catch (error) {
    return error.code ?? String(error);
  }
}

/** Checks an entry of the package against the vectors. @returns the number of rows @throws {Error} at any difference */
export async function judge(name, entry, vectors) {
  for (const wanted of names) {
    if (typeof entry[wanted] !== 'function') throw new Error(`${name} has no ${wanted}`);
  }
  for (const { name: row, expect, operation, bodyBase64, ...options } of vectors.cases) {
    const body = decode(bodyBase64);
    const { secret, tolerance } = options;
    const prepared = () => entry.createVerifier({ secret, tolerance })[operation]({ ...options, body });
    for (const action of [() => entry[operation]({ ...options, body }), prepared]) {
      const verdict = await codeOf(action);
      if (verdict !== expect) throw new Error(`${name}: ${verdict} for "${row}"`);
    }
  }
  const [secret, timestamp, now] = ['whsec_0123456789abcdef', 1_700_000_000, 1_700_000_000];
  const header = await entry.sign({ body: '{}', secret, timestamp });
  if (header !== (await entry.createSigner({ secret }).sign({ body: '{}', timestamp })))
    throw new Error(`${name}: sign`);
  await entry.verify({ body: '{}', header, secret, now });
  return vectors.cases.length;
}

/** Both entries must recognize each other's errors, for every combination of module kinds. */
export async function checkErrors(...classes) {
  for (const Thrown of classes) {
    for (const Asked of classes) {
      if (!(new Thrown('mismatch', 'text') instanceof Asked))
        throw new Error('an error of one copy is foreign to another');
    }
  }
}
