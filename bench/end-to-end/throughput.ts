import { patientFields } from '../patient.ts';
import { shuffled, spread } from '../statistics.ts';
import type { Contestant } from './contestants.ts';
import { type Ground, SUBSCRIPTIONS, type Subscriptions } from './ground.ts';
import { type Part, table } from './part.ts';
import { type Turn, takeTurn } from './turn.ts';

/** The events of a turn, by the number of subscriptions that receive each event. */
const EVENTS: Readonly<Record<Subscriptions, number>> = { 1: 1500, 5: 600, 20: 250 };
const BARE_POSTS = 10_000;
const ROUNDS = 9;

/**
 * The contestant `bare`: the generator POSTs the same body directly to the receiver, which only responds. Returns POSTs
 * per second.
 */
const takeBareTurn = async (
  { generator, receiver, clinics, authorizations, isQuick }: Ground,
  connections: number,
): Promise<number> => {
  const body = JSON.stringify(patientFields(clinics[1]));
  const pace = { calls: isQuick ? BARE_POSTS / 10 : BARE_POSTS };
  const { acknowledged } = await generator.ask({
    url: receiver.url,
    body,
    authorizations,
    connections,
    pace,
  });
  const first = acknowledged[0]?.from ?? Number.NaN;
  return (acknowledged.length * 1000) / ((acknowledged.at(-1)?.at ?? Number.NaN) - first);
};

const rowName = (contestant: Contestant, subscriptions: Subscriptions): string =>
  `${contestant.name}, ${subscriptions} subscription${subscriptions === 1 ? '' : 's'}`;

/** Measures the throughput of a closed loop. In every round each contestant has its turns, in a new order. */
export const measureThroughput = async (
  ground: Ground,
  contestants: readonly [chairside: Contestant, sameWork: Contestant],
  connections: number,
): Promise<Part> => {
  const turns = new Map<string, Turn[]>();
  const bare: number[] = [];
  let isWarm = false;
  const take = async (contestant: Contestant, subscriptions: Subscriptions) => {
    const events = EVENTS[subscriptions];
    const pace = { calls: ground.isQuick ? events / 10 : events };
    const turn = await takeTurn(ground, contestant, subscriptions, { connections, pace });
    const name = rowName(contestant, subscriptions);
    console.log(name, Math.round(turn.perSecond));
    if (isWarm) turns.get(name)?.push(turn);
  };
  const takeBare = async () => {
    const rate = await takeBareTurn(ground, connections);
    console.log('bare', Math.round(rate));
    if (isWarm) bare.push(rate);
  };
  const plan = [takeBare];
  for (const contestant of contestants) {
    for (const subscriptions of SUBSCRIPTIONS) {
      turns.set(rowName(contestant, subscriptions), []);
      plan.push(() => take(contestant, subscriptions));
    }
  }
  for (let round = 0; round <= (ground.isQuick ? 1 : ROUNDS); round++) {
    // The first round is a warm-up.
    isWarm = round > 0;
    for (const takeNext of shuffled(plan)) await takeNext();
  }

  const [chairside, sameWork] = contestants;
  const rows = SUBSCRIPTIONS.map((subscriptions) => {
    const ratesOf = (contestant: Contestant) =>
      (turns.get(rowName(contestant, subscriptions)) ?? []).map(({ perSecond }) => perSecond);
    const [own, floor] = [ratesOf(chairside), ratesOf(sameWork)];
    const ratios = own.map((rate, round) => rate / (floor[round] ?? Number.NaN));
    const deliveries = own.map((rate) => rate * subscriptions);
    return [subscriptions, spread(own), spread(deliveries), spread(floor), spread(ratios, 2)];
  });
  const shares = (turns.get(rowName(chairside, 1)) ?? []).map(
    ({ perSecond }, round) => perSecond / (bare[round] ?? Number.NaN),
  );
  const head = ['subscriptions', 'Chairside', 'its deliveries', 'same work', 'Chairside / same work'];
  const text = `## Throughput

Events per second from the first response to the last arrival, with ${connections} connections in a closed loop.

${table(head, rows)}

*Bare*, the same POSTs to the receiver alone: ${spread(bare)} per second. Chairside with one subscription to *bare*: ${spread(shares, 3)}.
`;
  return { text, turns };
};
