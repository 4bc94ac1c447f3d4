import {
  hasReady,
  hasRoom,
  type InHand,
  isRequestedNext,
  isSlowed,
  type Lane,
  nextReady,
  type Sharing,
  type Speed,
  speedOf,
} from './lane.ts';

/** The actions for which the process has room. */
export type Room = Sharing & {
  /** Whether one more attempt may begin. */
  mayBegin: boolean;
  /** Whether one more delivery may be claimed, by the speed of its receiver. */
  mayClaim: Readonly<Record<Speed, boolean>>;
  /** Whether an outage of this service is declared. Then nothing is claimed or sent except one delivery a second. */
  isOut: boolean;
};

export type Action =
  | { kind: 'send'; held: InHand }
  | { kind: 'claim' }
  | { kind: 'read' }
  | { kind: 'takePermit' }
  | { kind: 'givePermitBack' };

/** Whether the lane may ask for the permit of its subscription, which is slowed down. */
const mayTakePermit = (lane: Lane): boolean =>
  lane.permit.state === 'free' ||
  (lane.permit.state === 'waiting' && lane.permit.isPause && isRequestedNext(lane));

/** The next action of a lane that has the permit of its subscription. It makes one attempt. */
const nextWithPermit = (lane: Lane, room: Room, ignoresPause: boolean): Action | undefined => {
  if (lane.inHand.size > 0) {
    const held = room.mayBegin ? nextReady(lane, room) : undefined;
    return held && { kind: 'send', held };
  }
  if (room.isOut) return { kind: 'givePermitBack' };
  if (lane.page.length > 0) {
    if (ignoresPause && !isRequestedNext(lane)) return { kind: 'givePermitBack' };
    return room.mayClaim[speedOf(lane)] && lane.backlog !== 'resting' ? { kind: 'claim' } : undefined;
  }
  if (lane.backlog === 'unread') return { kind: 'read' };
  return lane.backlog === 'known' ? { kind: 'givePermitBack' } : undefined;
};

/** The next action of a lane that has no permit. */
const nextWithoutPermit = (lane: Lane, room: Room): Action | undefined => {
  const held = room.mayBegin && !isSlowed(lane) ? nextReady(lane, room) : undefined;
  if (held !== undefined) return { kind: 'send', held };

  const mayClaim = room.mayClaim[speedOf(lane)];
  if (lane.page.length > 0) {
    if (!mayClaim) return undefined;
    if (!isSlowed(lane)) return hasRoom(lane, room) ? { kind: 'claim' } : undefined;
    const isReady = lane.inHand.size === 0 && lane.backlog !== 'resting' && room.mayBegin;
    return isReady && mayTakePermit(lane) ? { kind: 'takePermit' } : undefined;
  }
  // A lane does not read a page that it cannot claim. An outage is the exception, because one delivery a second is
  // tried, and it must be read first.
  return lane.backlog === 'unread' && (mayClaim || room.isOut) ? { kind: 'read' } : undefined;
};

/** The next action of the lane, or undefined if it can do nothing now. */
export const nextAction = (lane: Lane, room: Room): Action | undefined => {
  const { permit } = lane;
  if (!lane.isWithheld)
    return permit.state === 'held'
      ? nextWithPermit(lane, room, permit.ignoresPause)
      : nextWithoutPermit(lane, room);
  return permit.state === 'held' && lane.inHand.size === 0 ? { kind: 'givePermitBack' } : undefined;
};

/** Whether the lane would claim a delivery if the process had room. */
const wantsClaim = (lane: Lane, { isOut }: Room): boolean => {
  if (lane.page.length === 0) return lane.backlog === 'unread';
  return !isSlowed(lane) || isOut || lane.permit.state === 'held' || mayTakePermit(lane);
};

/** The resources for which a lane waits, because the process has no room. */
export const waitsFor = (lane: Lane, room: Room): { attempt: boolean; claim: boolean } => ({
  attempt:
    !lane.isWithheld &&
    !room.mayBegin &&
    (hasReady(lane) || (isSlowed(lane) && lane.page.length > 0 && mayTakePermit(lane))),
  claim: !lane.isWithheld && !room.mayClaim[speedOf(lane)] && wantsClaim(lane, room),
});
