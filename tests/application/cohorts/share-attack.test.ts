import { describe, expect, test } from '@jest/globals';
import { shareMargin } from '../../../domain/cohorts/owner-share.ts';
import { partitionsOf } from './attack/attacker.ts';
import { type Partition, type Random, randomFrom } from './attack/population.ts';
import { countsOf, type Graded, LEAKY_FORMS, largestOf, ours, type ShareForm, sizeOf } from './attack/shares.ts';

// `largest_owner_share` must not show which records share an owner. Attackers see each record when it becomes public,
// and each that is quarantined, and ask after each.

describe('an attacker who rules out every assignment that would have shown other shares', () => {
  const worlds = partitionsOf(8).map((owners): World => {
    const history = historyOf(owners);
    const isShown = history.map((records) => countsOf(records).size >= 2).join();
    return { owners, history, isShown, samples: history.map(sampleOf), largest: largestOwners(history.at(-1) ?? []) };
  });
  const truths = worlds.filter((_, i) => i % 60 === 0);

  test('links no records and finds none of the largest owner', () => {
    const given = truths.map((truth) => gains(truth, ours(truth.history, 2), maybeShown));
    expect(given).toEqual(truths.map(() => 0));
  });

  test.each(Object.entries(LEAKY_FORMS))('finds some where the service %s', (_, form) => {
    const replies = new Map(worlds.map((world) => [world, String(form(world.history, 2))]));
    const surelyShown: CouldShow = (world, shares) => replies.get(world) === String(shares);
    const won = truths.filter((truth) => gains(truth, form(truth.history, 2), surelyShown) > 0);
    expect(won.length).toBeGreaterThan(2);
  });

  /** How many facts follow from the shares that do not follow from the number of owners alone. */
  function gains(truth: World, shares: Shares, couldShow: CouldShow): number {
    const given = worlds.filter(({ isShown }) => isShown === truth.isShown);
    return certainIn(given.filter((world) => couldShow(world, shares))) - certainIn(given);
  }
});

describe('an attacker who takes each switch as a sign of the record that was added or removed', () => {
  const cases = Array.from({ length: 1_000 }, (_, seed) => randomOwners(randomFrom(seed), 30 + (seed % 40)));

  test.each(Object.entries(LEAKY_FORMS))('is right where the service %s', (_, form) => {
    const { switches, right } = scoreOf(cases, form);
    expect(switches).toBeGreaterThan(100);
    expect(right / switches).toBeGreaterThan(0.95);
  });

  test('is right little more often than with any record', () => {
    const { switches, right, byChance } = scoreOf(cases, ours);
    expect(switches).toBeGreaterThan(1_000);
    expect(right / switches).toBeLessThan(byChance / switches + 0.1);
  });
});

type Shares = ReturnType<ShareForm>;

/** An assignment of the records to owners. */
interface World {
  readonly owners: Partition;
  readonly history: readonly Graded[];
  /** At which moments there are two owners. */
  readonly isShown: string;
  readonly samples: readonly (Sample | null)[];
  /** The owners with the most records. */
  readonly largest: ReadonlySet<number>;
}

/** Whether an assignment could have led to these replies. */
type CouldShow = (world: World, shares: Shares) => boolean;

interface Sample {
  /** By how many records the largest owner has more than a third. */
  readonly excess: number;
  readonly margin: number;
}

function sampleOf(records: Graded): Sample | null {
  const size = sizeOf(records, 2);
  return size === null ? null : { excess: largestOf(records.slice(0, size)) - size / 3, margin: shareMargin(size) };
}

/** By some lean of each sample: who does not know the secret does not know the lean. */
const maybeShown: CouldShow = ({ samples }, shares) =>
  samples.every((sample, i) => {
    if (sample === null) return shares[i] === null;
    return shares[i] === 'more' ? sample.excess > -sample.margin : sample.excess < sample.margin;
  });

/** Each record comes; then each one leaves and comes back. */
function historyOf(owners: Partition): readonly Graded[] {
  const all = owners.map((owner, i) => ({ id: `record ${i}`, owner }));
  return [...all.map((_, i) => all.slice(0, i + 1)), ...all.flatMap((_, i) => [all.toSpliced(i, 1), all])];
}

/** How many pairs are linked in all assignments, and how many records are of an owner with the most in all. */
function certainIn(possible: readonly World[]): number {
  const rows = (possible[0]?.owners ?? []).map((_, row) => row);
  const pairs = rows.flatMap((a) => rows.slice(a + 1).map((b) => [a, b] as const));
  const linked = pairs.filter(([a, b]) => possible.every(({ owners }) => owners[a] === owners[b]));
  const found = rows.filter((row) => possible.every(({ owners, largest }) => largest.has(owners[row] ?? -1)));
  return linked.length + found.length;
}

function largestOwners(records: Graded): ReadonlySet<number> {
  const most = largestOf(records);
  return new Set([...countsOf(records)].flatMap(([owner, count]) => (count === most ? [owner] : [])));
}

/** How often the record of a switch is what the attacker takes it for, and how often a random one of its cohort is. */
function scoreOf(cases: readonly Partition[], form: ShareForm) {
  const score = { switches: 0, right: 0, byChance: 0 };
  for (const history of cases.map(historyOf)) {
    const shares = form(history, 10);
    for (const [i, now] of history.entries()) {
      const [before = [], share, last] = [history[i - 1], shares[i], shares[i - 1]];
      if (!share || !last || share === last) continue;
      const [more, fewer] = now.length > before.length ? [now, before] : [before, now];
      // More with the record than without it: it is of the largest owner. Else it is of another one.
      const claim = now.length > before.length === (share === 'more');
      const largest = largestOwners(more);
      const record = more.find(({ id }, place) => id !== fewer[place]?.id);
      score.switches += 1;
      if (record && largest.has(record.owner) === claim) score.right += 1;
      score.byChance += more.filter(({ owner }) => largest.has(owner) === claim).length / more.length;
    }
  }
  return score;
}

function randomOwners(random: Random, size: number): Partition {
  const weights = Array.from({ length: 5 + Math.floor(random() * 4) }, () => random() ** 2 + 0.1);
  const shares = weights.flatMap((weight, owner) => Array.from({ length: Math.ceil(weight * 50) }, () => owner));
  return Array.from({ length: size }, () => shares[Math.floor(random() * shares.length)] ?? 0);
}
