import { expect, test } from '@jest/globals';
import { furtherHorizon, groupOf } from '../../../../domain/decisions/decision.ts';
import {
  type GroupSubmission,
  groupPath,
  memberFaults,
  memberPath,
  memberSubmissions,
  repeatedHorizons,
} from '../../../../domain/decisions/submission/decision-group.ts';
import { aSubmission } from '../../../builders/decisions.ts';

const { horizon_kind: _, horizon_value: __, ...SHARED } = aSubmission(new Date('2026-03-02T12:00:00Z'));
const GROUP: GroupSubmission = {
  ...SHARED,
  summary: 'said once',
  horizons: [
    { horizon_kind: 'holding_seconds', horizon_value: 3_600, confidence: 0.5 },
    { horizon_kind: 'trading_days', horizon_value: 3_600 },
    { horizon_kind: 'holding_seconds', horizon_value: 7_200, price_targets: { entry: 1 } },
  ],
};

test('each horizon is a flat submission with what all share', () => {
  const [first, , third] = memberSubmissions(GROUP);
  expect(first).toEqual({
    ...SHARED,
    ...{ summary: 'said once', horizon_kind: 'holding_seconds', horizon_value: 3_600, confidence: 0.5 },
  });
  expect(third).toMatchObject({ horizon_value: 7_200, price_targets: { entry: 1 } });
  expect(third).not.toHaveProperty('confidence');
  expect(memberSubmissions(GROUP).every((each) => !('horizons' in each))).toBe(true);
});

test('a horizon is repeated where kind and value are, and at the later place', () => {
  expect(repeatedHorizons(GROUP)).toEqual([]);
  const [first] = GROUP.horizons;
  const again = { ...GROUP, horizons: [...GROUP.horizons, ...(first ? [{ ...first, confidence: 0.9 }] : [])] };
  expect(repeatedHorizons(again)).toMatchObject([{ path: 'horizons[3].horizon_value', received: 3_600 }]);
});

test.each([
  ['horizon_value', 'horizons[2].horizon_value'],
  ['price_targets', 'horizons[2].price_targets'],
  ['invalidation.1.kind', 'horizons[2].invalidation.1.kind'],
  ['confidence', 'horizons[2].confidence'],
  ['symbol', 'symbol'],
  ['key_factors.0.id', 'key_factors.0.id'],
])('a fault at %s of a decision is one at %s of its group, and the other way round', (own, ofGroup) => {
  expect(memberPath(own, 2)).toBe(ofGroup);
  const faults = [{ path: ofGroup, message: 'is wrong' }];
  expect(memberFaults(faults, 2)).toEqual([{ path: own, message: 'is wrong' }]);
  expect(memberFaults(faults, 1)).toEqual(ofGroup === own ? faults : []);
});

test.each([
  ['horizons.2.horizon_value', 'horizons[2].horizon_value'],
  ['horizons.2', 'horizons[2]'],
  ['horizons', 'horizons'],
  ['key_factors.0.id', 'key_factors.0.id'],
])('the path %s is written %s', (path, written) => {
  expect(groupPath(path)).toBe(written);
});

test('others see that a further horizon is one, and nothing of the group', () => {
  const group = { group_id: 'grp_5c0ffee55c0ffee55c0ffee5', group_of: 3 };
  expect(furtherHorizon({ group_place: 2 })).toEqual({ further_horizon: true });
  expect([furtherHorizon({ group_place: 1 }), furtherHorizon({ group_place: null })]).toEqual([{}, {}]);
  expect(groupOf({ ...group, group_place: 2 })).toEqual({ id: group.group_id, of: 3, place: 2 });
  expect(groupOf({ group_id: null, group_place: null, group_of: null })).toBeNull();
});
