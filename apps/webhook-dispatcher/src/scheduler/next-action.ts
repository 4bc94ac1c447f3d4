import { hasReady, hasRoom, type InHand, type Lane, nextReady, type Speed, speedOf } from './lane.ts';

/** The actions for which the process has room. */
export type Room = {
  /** Whether one more attempt may begin. */
  mayBegin: boolean;
  /** Whether one more delivery may be claimed, by the speed of its receiver. */
  mayClaim: Readonly<Record<Speed, boolean>>;
  /** Whether so much is claimed for slow receivers that each must leave room for the others. */
  isCrowded: boolean;
  /** Whether an outage of this service is declared. Then nothing is claimed or sent except one delivery a second. */
  isOut: boolean;
};

export type Action = { kind: 'send'; held: InHand } | { kind: 'claim' } | { kind: 'read' };

/** The next action of the lane, or undefined if it can do nothing now. */
export const nextAction = (lane: Lane, room: Room): Action | undefined => {
  const held = room.mayBegin ? nextReady(lane, room.isCrowded) : undefined;
  if (held !== undefined) return { kind: 'send', held };

  const mayClaim = room.mayClaim[speedOf(lane)];
  if (lane.page.length > 0) {
    return mayClaim && hasRoom(lane, room.isCrowded) ? { kind: 'claim' } : undefined;
  }
  // A lane does not read a page that it cannot claim. An outage is the exception, because one delivery a second is
  // tried, and it must be read first.
  return lane.backlog === 'unread' && (mayClaim || room.isOut) ? { kind: 'read' } : undefined;
};

/** The resources for which a lane waits, because the process has no room. */
export const waitsFor = (lane: Lane, room: Room): { attempt: boolean; claim: boolean } => ({
  attempt: !room.mayBegin && hasReady(lane),
  claim: !room.mayClaim[speedOf(lane)] && (lane.page.length > 0 || lane.backlog === 'unread'),
});
