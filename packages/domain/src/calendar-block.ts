import { z } from 'zod';
import type { Issue } from './errors.ts';
import { clinicId, ownId, sentBack, timeOf } from './fields.ts';
import { providerId } from './provider.ts';

export const calendarBlockKinds = ['CLOSED', 'HOLIDAY', 'BREAK', 'MEETING', 'MAINTENANCE', 'OTHER'] as const;

/** The longest calendar block, in days. With this limit, a range query needs only one index. */
export const MAX_BLOCK_DAYS = 366;

/**
 * A time in which a clinic or one provider has no free slots: a setting of the practice. It has no free text, because
 * staff may write patients' names into such fields.
 */
export const calendarBlockSchema = z
  .strictObject({
    _id: ownId('01JB00000000000000B10CK000'),
    clinicId,
    providerId: providerId
      .optional()
      .describe('The provider whose time is blocked. Absent: the whole clinic is blocked.'),
    startTime: timeOf('Start of the block.'),
    endTime: timeOf(
      `End of the block: after \`startTime\`, by at most ${MAX_BLOCK_DAYS} days.`,
      '2030-01-31T10:00:00.000Z',
    ),
    kind: z
      .enum(calendarBlockKinds, { error: `must be one of ${calendarBlockKinds.join(', ')}` })
      .meta({ description: 'Why the time is blocked.', examples: ['HOLIDAY'] }),
  })
  .meta({ id: 'CalendarBlock', description: 'A time without appointments, of a clinic or of one provider.' });
export type CalendarBlock = z.infer<typeof calendarBlockSchema>;

const { providerId: blockedProvider, startTime, endTime, kind } = calendarBlockSchema.shape;

/** The body of POST /api/calendarblocks. `null` for `providerId` is the same as leaving it out. */
export const calendarBlockCreateSchema = z
  .strictObject({ clinicId, providerId: blockedProvider.nullish(), startTime, endTime, kind })
  .meta({ id: 'CalendarBlockCreate' });
export type CalendarBlockCreate = z.infer<typeof calendarBlockCreateSchema>;

/** The body of PUT /api/calendarblocks/{calendarBlockId}. `_id` must equal the path. */
export const calendarBlockUpdateSchema = z
  .strictObject({
    _id: sentBack._id,
    clinicId: clinicId.optional(),
    providerId: blockedProvider.nullish(),
    startTime: startTime.optional(),
    endTime: endTime.optional(),
    kind: kind.optional(),
  })
  .meta({ id: 'CalendarBlockUpdate' });
export type CalendarBlockUpdate = z.infer<typeof calendarBlockUpdateSchema>;

/**
 * Checks the times of a block.
 *
 * @returns no issue, or one for `endTime`
 */
export const blockTimeIssues = ({
  startTime,
  endTime,
}: Pick<CalendarBlock, 'startTime' | 'endTime'>): Issue[] => {
  const length = Date.parse(endTime) - Date.parse(startTime);
  if (length <= 0) return [{ path: 'endTime', message: 'must be after startTime' }];
  if (length <= MAX_BLOCK_DAYS * 86_400_000) return [];
  return [
    {
      path: 'endTime',
      message: `must be at most ${MAX_BLOCK_DAYS} days after startTime: split the block into several`,
    },
  ];
};
