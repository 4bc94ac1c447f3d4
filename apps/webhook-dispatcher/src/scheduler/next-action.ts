import { hasReady, hasRoom, type InHand, type Lane, nextReady, type Speed, speedOf } from './lane.ts';

/** What the process has room for. */
export type Room = {
  /** Whether one more attempt may begin. */
  mayBegin: boolean;
  /** For which receivers one more delivery may be claimed. */
  mayClaim: Readonly<Record<Speed, boolean>>;
  /** Whether so much is claimed for slow receivers that each must leave room to the others. */
  isCrowded: boolean;
  /** Whether an outage of this service is declared: no attempt begins then and nothing is claimed, but for a probe. */
  isOut: boolean;
};

export type Action = { kind: 'send'; held: InHand } | { kind: 'claim' } | { kind: 'read' };

/** What the lane does next; undefined if it can do nothing now. */
export const nextAction = (lane: Lane, room: Room): Action | undefined => {
  const held = room.mayBegin ? nextReady(lane, room.isCrowded) : undefined;
  if (held !== undefined) return { kind: 'send', held };

  const mayClaim = room.mayClaim[speedOf(lane)];
  if (lane.page.length > 0) {
    return mayClaim && hasRoom(lane, room.isCrowded) ? { kind: 'claim' } : undefined;
  }
  // Deliveries that could not be claimed stay in the database. A probe needs to know of one.
  return lane.backlog === 'unread' && (mayClaim || room.isOut) ? { kind: 'read' } : undefined;
};

/** What a lane waits for that can do nothing now, because the process has no room. */
export const waitsFor = (lane: Lane, room: Room): { attempt: boolean; claim: boolean } => ({
  attempt: !room.mayBegin && hasReady(lane),
  claim: !room.mayClaim[speedOf(lane)] && (lane.page.length > 0 || lane.backlog === 'unread'),
});
