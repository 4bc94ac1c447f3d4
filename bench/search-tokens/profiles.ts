// A guess of what tokens stand for, from the tokens that patients have together.
import { quantile } from '../statistics.ts';
import { type Child, type Edge, type Guesses, pairOf, partOf } from './attack.ts';
import type { Keys } from './population.ts';

/** How many beginnings of 5 letters the attacker compares for each beginning of 3 letters, and the fewest patients of one. */
const COMPARED = 40;
const FEWEST = 8;
/** The logarithm of the probability that the index does not show a beginning that it should have. */
const MISSING = Math.log(0.01);
/** The variance of a number of patients, divided by their expected number. Families have a surname together. */
const VARIANCE = 2;

/** How many of the descending values are above this one. */
const rankIn = (values: readonly number[], value: number): number => {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) > value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The edge whose excess is nearest to this number, among the descending edges of a token that are not used. */
const nearest = (star: readonly Edge[], expected: number, used: ReadonlySet<Edge>): Edge | undefined => {
  let [low, high] = [0, star.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((star[middle] as Edge).excess > expected) low = middle + 1;
    else high = middle;
  }
  let [above, below] = [low - 1, low];
  while (above >= 0 && used.has(star[above] as Edge)) above--;
  while (below < star.length && used.has(star[below] as Edge)) below++;
  const [up, down] = [star[above], star[below]];
  if (up === undefined || down === undefined) return up ?? down;
  return up.excess - expected < expected - down.excess ? up : down;
};

/** The pairs of each token, the most frequent first. */
const pairsByToken = (edges: readonly Edge[]): Map<number, Edge[]> => {
  const stars = new Map<number, Edge[]>();
  for (const edge of edges)
    for (const token of [edge.one, edge.other]) {
      const star = stars.get(token);
      if (star === undefined) stars.set(token, [edge]);
      else star.push(edge);
    }
  return stars;
};

/** The beginnings of 5 letters that each beginning of 3 letters has, the most frequent first. */
const profilesOf = (children: readonly Child[]): Map<number, Child[]> => {
  const profiles = new Map<number, Child[]>();
  for (const child of children) {
    if (child.expected < FEWEST) break;
    const profile = profiles.get(child.parent);
    if (profile === undefined) profiles.set(child.parent, [child]);
    else if (profile.length < COMPARED) profile.push(child);
  }
  return profiles;
};

/** A pair of tokens that may be a beginning of 5 letters. */
type Match = { edge: Edge; child: Child };
/** A token that may be a beginning of 3 letters, and the logarithm of its likelihood ratio. */
type Candidate = { parent: number; token: number; score: number; matches: Match[] };

type Evidence = {
  counts: Int32Array;
  /** The patients that a token has because of the other keys that it stands for. */
  load: number;
  /** The gain of a pair that is not in the profile. */
  extra: number;
};

/** What the number of patients with a token says about a key with this many patients. */
const gainOfCount = (count: number, patients: number, load: number): number => {
  if (count < patients - 6 * Math.sqrt(VARIANCE * patients)) return Number.NEGATIVE_INFINITY;
  // Other keys of the token add a number of patients that is not known.
  if (load > 0) return 0;
  const variance = VARIANCE * patients;
  return -((count - patients) ** 2) / variance / 2 + Math.log(patients / Math.sqrt(variance));
};

/** A beginning of 3 letters: its patients, its profile, and how many pairs have about the frequency of each part of it. */
type Profile = { parent: number; patients: number; children: readonly Child[]; densities: readonly number[] };

const gainOfPair = (edge: Edge, { expected }: Child, density: number): number => {
  const variance = VARIANCE * expected + edge.noise + 1;
  return (
    -((edge.excess - expected) ** 2) / variance / 2 - Math.log(Math.sqrt(variance * 2 * Math.PI) * density)
  );
};

/** Compares the pairs of a token with a profile. Undefined if another explanation is as likely. */
const compare = (
  token: number,
  star: readonly Edge[],
  { parent, patients, children, densities }: Profile,
  { counts, load, extra }: Evidence,
): Candidate | undefined => {
  let score = gainOfCount(counts[token] as number, patients, load);
  const taken = new Set<Edge>();
  const matches: Match[] = [];
  for (const [place, child] of children.entries()) {
    // The most frequent pairs are missing.
    if (score < MISSING * 3) return undefined;
    const edge = nearest(star, child.expected, taken);
    const gain = edge === undefined ? MISSING : gainOfPair(edge, child, densities[place] as number);
    if (edge === undefined || gain < MISSING) {
      // A rare one may be missing by chance.
      if (child.expected > 40) score += MISSING;
      continue;
    }
    score += gain;
    taken.add(edge);
    matches.push({ edge, child });
  }
  const smallest = 2 * Math.max(FEWEST, children.at(-1)?.expected ?? 0);
  score += extra * star.filter((edge) => edge.excess >= smallest && !taken.has(edge)).length;
  return score > 0 ? { parent, token, score, matches } : undefined;
};

/** Takes the most likely candidates first. A pair stands for one beginning, and a beginning has one token. */
const choose = (candidates: Candidate[]) => {
  const ofToken = new Map<number, number>();
  const ofPair = new Map<number, number>();
  const parents = new Set<number>();
  for (const { parent, token, matches } of candidates.sort((one, other) => other.score - one.score)) {
    if (parents.has(parent)) continue;
    const free = matches.filter(({ edge }) => !ofPair.has(pairOf(edge.one, edge.other)));
    // Its pairs belong to another beginning.
    if (free.length * 2 <= matches.length) continue;
    parents.add(parent);
    if (!ofToken.has(token)) ofToken.set(token, parent);
    for (const { edge, child } of free) ofPair.set(pairOf(edge.one, edge.other), child.key);
  }
  return { ofToken, ofPair };
};

/**
 * Guesses the keys of tokens from the pairs of tokens that belong together. A beginning of 3 letters has a profile: the
 * frequencies of the beginnings of 5 letters with these first letters (`mar`: `marti`, `marsh`, `marie`). Each profile gets the
 * token whose pairs have the most similar frequencies, by the likelihood ratio of "these pairs are the profile" and "these pairs
 * are any pairs". Pairs that no profile explains are matched by rank. A better attack may exist.
 */
export const profileMatch = (
  edges: readonly Edge[],
  children: readonly Child[],
  counts: Int32Array,
  size: number,
  keys: Keys,
): Guesses => {
  const stars = pairsByToken(edges);
  const excesses = edges.map(({ excess }) => excess);
  /** How many pairs of an average token have a frequency in an interval of 1 around this one. */
  const densityAt = (expected: number): number => {
    const among = rankIn(excesses, expected / 1.3) - rankIn(excesses, expected * 1.3);
    return ((among + 1) * 2) / (stars.size + 1) / (expected * (1.3 - 1 / 1.3));
  };
  const used = [...counts.filter((count) => count > 0)];
  // If some tokens stand for no key, most of the others stand for one.
  const isCrowded = used.length > counts.length * 0.98 && counts.length < 2 ** 16;
  const evidence = {
    counts,
    load: isCrowded ? quantile(used, 0.25) : 0,
    extra: Math.log(Math.min(0.9, ((2 * edges.length) / counts.length + 0.02) / 8)),
  };
  const candidates: Candidate[] = [];
  for (const [parent, profile] of profilesOf(children)) {
    const described = {
      parent,
      patients: size * partOf(keys, parent),
      children: profile,
      densities: profile.map(({ expected }) => densityAt(expected)),
    };
    for (const [token, star] of stars) {
      const candidate = compare(token, star, described, evidence);
      if (candidate !== undefined) candidates.push(candidate);
    }
  }
  const { ofToken, ofPair } = choose(candidates);
  const guessed = new Set(ofPair.values());
  const left = children.filter(({ key }) => !guessed.has(key)).values();
  for (const { one, other } of edges) {
    if (ofPair.has(pairOf(one, other))) continue;
    const child = left.next().value;
    if (child === undefined) break;
    ofPair.set(pairOf(one, other), child.key);
  }
  return { ofToken, ofPair };
};
