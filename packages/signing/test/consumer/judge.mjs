// A stranger's program: asks the installed package for its verdict on every vector. Runs on every runtime, so it uses
// nothing but the language and atob.

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

/** Throws when this entry of the package differs from the vectors in anything; returns how many rows it judged. */
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

/** Both entries must know each other's errors, whichever module kind each of them came from. */
export async function checkErrors(...classes) {
  for (const Thrown of classes) {
    for (const Asked of classes) {
      if (!(new Thrown('mismatch', 'text') instanceof Asked))
        throw new Error('an error of one copy is foreign to another');
    }
  }
}
