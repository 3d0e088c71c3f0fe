import { expect, test } from '@jest/globals';
import { countOutcomes } from '../../../application/decisions/count-outcomes.ts';
import type { Ports } from '../../../application/ports.ts';
import { OUTCOMES } from '../../../domain/limits.ts';

test('a range with more graded decisions than one request counts is refused, and says what to change', async () => {
  const asked: number[] = [];
  const ownerRecords = {
    async countOutcomes(_owner: string, _filter: object, _by: string, atMost: number) {
      asked.push(atMost);
      return null;
    },
  } as Partial<Ports['ownerRecords']> as Ports['ownerRecords'];
  await expect(countOutcomes({ ownerRecords }, 'me', { agent_id: null, since: null }, 'week')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'since must be later: more than 200,000 graded decisions end from then on.',
    details: [{ path: 'since' }],
  });
  expect(asked).toEqual([OUTCOMES.mostRecords]);
});
