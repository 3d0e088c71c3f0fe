import { describe, expect, test } from '@jest/globals';
import type { Circuit } from '../../../domain/circuits/circuit.ts';
import { circuitView, isStale } from '../../../domain/circuits/observe.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { aCircuit, aPeg } from '../../builders/circuits.ts';
import { everyMinute, type Happening, play, START } from './played.ts';

const instant = (millis: Millis) => new Date(START + millis);
const look = (at: Millis, drift: number | null): Happening => ({ at, drift });
const trips = (happenings: readonly Happening[], from?: Circuit) =>
  play(happenings, from).snapshots.map(({ to, cause, at }) => [to, cause, at.getTime() - START]);

describe('normal -> tripped', () => {
  test('at 100 bps for 15 minutes, not a minute sooner', () => {
    expect(trips(everyMinute(0, 14 * MINUTE, 100))).toEqual([]);
    expect(trips(everyMinute(0, 20 * MINUTE, 100))).toEqual([['tripped', 'auto_trip', 15 * MINUTE]]);
    expect(trips(everyMinute(0, DAY, 99.999))).toEqual([]);
  });

  test('one observation below begins the 15 minutes anew', () => {
    const broken = [
      ...everyMinute(0, 14 * MINUTE, 150),
      look(15 * MINUTE, 99.9),
      ...everyMinute(16 * MINUTE, HOUR, 150),
    ];
    expect(trips(broken)).toEqual([['tripped', 'auto_trip', 31 * MINUTE]]);
  });

  test('at 200 bps in three observations running; a wick of two does not trip', () => {
    expect(trips(everyMinute(0, 2 * MINUTE, 200))).toEqual([['tripped', 'auto_trip', 2 * MINUTE]]);
    expect(trips([...everyMinute(0, MINUTE, 900), ...everyMinute(2 * MINUTE, HOUR, 0)])).toEqual([]);
    expect(trips([look(0, 300), look(MINUTE, 300), look(2 * MINUTE, 199), look(3 * MINUTE, 300)])).toEqual([]);
  });

  test('looks without a quorum hold the run, and a gap of more than 10 minutes ends it', () => {
    const held = [look(0, 300), look(MINUTE, null), look(2 * MINUTE, 300), look(12 * MINUTE, 300)];
    expect(trips(held)).toEqual([['tripped', 'auto_trip', 12 * MINUTE]]);
    const ended = [look(0, 300), look(2 * MINUTE, 300), look(12 * MINUTE + 1, 300), look(14 * MINUTE, 300)];
    expect(trips(ended)).toEqual([]);
    expect(trips([look(0, 100), look(8 * MINUTE, 100), look(15 * MINUTE, 100)])).toHaveLength(1);
    expect(trips([look(0, 100), look(15 * MINUTE, 100)])).toEqual([]);
  });

  test('with two monitors no minute counts twice', () => {
    const twins = [0, MINUTE].flatMap((at) => [look(at, 500), look(at + 44 * SECOND, 500)]);
    expect(trips(twins)).toEqual([]);
    const apart = [0, 1, 2].flatMap((turn) => [look(turn * MINUTE, 500), look(turn * MINUTE + 30 * SECOND, 500)]);
    expect(trips(apart)).toEqual([['tripped', 'auto_trip', 2 * MINUTE]]);
    expect(trips([look(0, 500), look(45 * SECOND, 500), look(90 * SECOND, 500)])).toHaveLength(1);
  });

  test('an observation within 45 seconds of another changes nothing, unless a failed look came between', () => {
    const { circuit } = play([look(0, 10)]);
    for (const drift of [0, 500, null]) expect(play([look(SECOND, drift)], circuit).circuit).toBe(circuit);
    expect(play([look(0, null), look(SECOND, 10)]).circuit.peg).toEqual(aPeg(10, instant(SECOND)));
  });

  test('an observation a little before the last changes nothing; far before it the clock was set back, and all runs begin anew', () => {
    const wild = everyMinute(DAY, DAY + MINUTE, 500);
    expect(trips([...wild, look(DAY - 4 * MINUTE, 500)])).toEqual([]);
    const { circuit, snapshots } = play([...wild, look(0, 500), look(MINUTE, 500)]);
    expect([snapshots, circuit.runs.at_once, circuit.peg?.observed_at]).toEqual([[], 2, instant(MINUTE)]);
  });

  test('never with auto-trip off, however large the drift; the runs continue', () => {
    const { snapshots, circuit } = play(everyMinute(0, HOUR, 500), aCircuit(), false);
    expect([snapshots, circuit.runs.trip_since, circuit.runs.at_once]).toEqual([[], instant(0), 61]);
    const relapsing = play(everyMinute(0, HOUR, 60), aCircuit({ state: 'warming' }), false);
    expect(relapsing.snapshots).toEqual([]);
  });

  test('the snapshot names the rule, the drift and the monitor as actor', () => {
    const [snapshot] = play(everyMinute(0, 2 * MINUTE, 250)).snapshots;
    expect(snapshot).toMatchObject({
      actor: 'monitor',
      reason: 'A drift of 250 bps: at least 200 bps in 3 observations running.',
    });
  });
});

describe('tripped -> warming', () => {
  const tripped: Happening = { at: 0, operator: 'trip' };

  test('after exactly 24 hours of observations below 50 bps, the first of them after the trip', () => {
    const calm = [tripped, ...everyMinute(MINUTE, 2 * DAY, 49.999)];
    expect(trips(calm).slice(1)).toEqual([['warming', 'recovery', DAY + MINUTE]]);
  });

  test('observations before an operator’s trip do not count', () => {
    const calm = everyMinute(-2 * DAY, -MINUTE, 0);
    const all = [...calm, tripped, ...everyMinute(10 * SECOND, 2 * DAY, 0)];
    expect(trips(all).slice(1)).toEqual([['warming', 'recovery', DAY + 10 * SECOND]]);
  });

  test.each([
    ['a breach at 23:59', look(DAY - MINUTE, 50), 2 * DAY],
    ['a breach above the dollar', look(DAY - MINUTE, 51), 2 * DAY],
  ])('%s begins the 24 hours anew', (_, breach, warm) => {
    const broken = [tripped, ...everyMinute(0, DAY - 2 * MINUTE, 0), breach, ...everyMinute(DAY, 3 * DAY, 0)];
    expect(trips(broken).slice(1)).toEqual([['warming', 'recovery', warm]]);
  });

  test('a gap of 10 minutes is bridged, and one of 11 begins the 24 hours anew', () => {
    const withGap = (gap: Millis) => [
      tripped,
      ...everyMinute(0, 12 * HOUR, 0),
      ...everyMinute(12 * HOUR + gap, 3 * DAY, 0),
    ];
    expect(trips(withGap(10 * MINUTE)).slice(1)).toEqual([['warming', 'recovery', DAY]]);
    expect(trips(withGap(11 * MINUTE)).slice(1)).toEqual([['warming', 'recovery', DAY + 12 * HOUR + 11 * MINUTE]]);
  });

  test('looks without a quorum are no observations: ten minutes of them are bridged, more are not', () => {
    const silent = (from: Millis, to: Millis) =>
      [...Array((to - from) / MINUTE).keys()].map((turn) => look(from + turn * MINUTE, null));
    const quiet = (to: Millis) => [
      tripped,
      ...everyMinute(0, HOUR, 0),
      ...silent(HOUR + MINUTE, to),
      ...everyMinute(to, 2 * DAY, 0),
    ];
    expect(trips(quiet(HOUR + 10 * MINUTE)).at(-1)).toEqual(['warming', 'recovery', DAY]);
    expect(trips(quiet(HOUR + 11 * MINUTE)).at(-1)).toEqual(['warming', 'recovery', DAY + HOUR + 11 * MINUTE]);
  });

  test('tripping again begins the 24 hours anew', () => {
    const again: Happening = { at: 12 * HOUR, operator: 'trip' };
    const all = [tripped, ...everyMinute(0, 12 * HOUR - MINUTE, 0), again, ...everyMinute(12 * HOUR, 2 * DAY, 0)];
    expect(trips(all).at(-1)).toEqual(['warming', 'recovery', DAY + 12 * HOUR]);
  });

  test('also with auto-trip off', () => {
    expect(play([tripped, ...everyMinute(0, DAY, 0)], aCircuit(), false).circuit.state).toBe('warming');
  });

  test('not without observations, however long', () => {
    expect(play([tripped, look(0, 0), look(30 * DAY, 0)]).circuit.state).toBe('tripped');
  });
});

describe('warming', () => {
  const warming = aCircuit({ state: 'warming', since: instant(0), snapshot_id: 'warm' });

  test('never becomes normal by itself', () => {
    expect(trips(everyMinute(0, 7 * DAY, 0), warming)).toEqual([]);
  });

  test('-> tripped at 50 bps for 15 minutes without a break', () => {
    expect(trips(everyMinute(0, 14 * MINUTE, 50), warming)).toEqual([]);
    expect(trips(everyMinute(0, HOUR, 50), warming)).toEqual([['tripped', 'relapse', 15 * MINUTE]]);
    const broken = [
      ...everyMinute(0, 14 * MINUTE, 60),
      look(15 * MINUTE, 49),
      ...everyMinute(16 * MINUTE, 30 * MINUTE, 60),
    ];
    expect(trips(broken, warming)).toEqual([]);
  });

  test('-> tripped at 200 bps in three observations running', () => {
    expect(trips(everyMinute(0, 5 * MINUTE, 200), warming)).toEqual([['tripped', 'auto_trip', 2 * MINUTE]]);
  });

  test('a drift of 100 bps that began while warming trips 15 minutes after its beginning, resolved or not', () => {
    const resolved: Happening = { at: 10 * MINUTE + SECOND, operator: 'resolve' };
    const all = [...everyMinute(0, 10 * MINUTE, 100), resolved, ...everyMinute(11 * MINUTE, HOUR, 100)];
    expect(trips(all, warming).at(-1)).toEqual(['tripped', 'auto_trip', 15 * MINUTE]);
  });
});

describe('what operators see', () => {
  test('before any observation: normal, no peg, no recovery, stale', () => {
    const nothing = { state: 'normal', since: null, snapshot_id: null, reason: null, peg: null, recovery: null };
    expect(circuitView(aCircuit(), instant(0))).toEqual({ coin: 'USDT', ...nothing });
    expect(isStale(aCircuit(), instant(0))).toBe(true);
  });

  test('stale after a failed look, after five minutes without one, and when the clock was set back as far', () => {
    const { circuit } = play([look(0, 10)]);
    expect([isStale(circuit, instant(5 * MINUTE)), isStale(circuit, instant(5 * MINUTE + 1))]).toEqual([false, true]);
    expect([isStale(circuit, instant(-5 * MINUTE)), isStale(circuit, instant(-5 * MINUTE - 1))]).toEqual([false, true]);
    const failed = play([look(MINUTE, null)], circuit).circuit;
    expect([failed.peg, isStale(failed, instant(MINUTE))]).toEqual([circuit.peg, true]);
    expect(isStale(play([look(2 * MINUTE, 10)], failed).circuit, instant(2 * MINUTE))).toBe(false);
  });

  test('the recovery of a tripped coin runs from its first calm observation, and is gone after a breach or a gap', () => {
    const { circuit } = play([{ at: 0, operator: 'trip' }, look(MINUTE, 0), look(2 * MINUTE, 0)]);
    const recovery = { sub_threshold_since: instant(MINUTE), warming_at: instant(MINUTE + DAY) };
    expect(circuitView(circuit, instant(2 * MINUTE)).recovery).toEqual(recovery);
    expect(circuitView(circuit, instant(12 * MINUTE)).recovery).toEqual(recovery);
    expect(circuitView(circuit, instant(12 * MINUTE + 1)).recovery).toBeNull();
    const breached = play([look(3 * MINUTE, 50)], circuit).circuit;
    expect(circuitView(breached, instant(3 * MINUTE)).recovery).toBeNull();
  });

  test('the recovery of a warming coin shows when it warmed, and whether it is still calm; a normal coin has none', () => {
    const { circuit } = play([{ at: 0, operator: 'trip' }, ...everyMinute(0, DAY + HOUR, 0)]);
    const recovery = { sub_threshold_since: instant(0), warming_at: instant(DAY) };
    expect(circuitView(circuit, instant(DAY + HOUR)).recovery).toEqual(recovery);
    const breached = play([look(DAY + 2 * HOUR, 50)], circuit).circuit;
    const { recovery: broken } = circuitView(breached, instant(DAY + 2 * HOUR));
    expect(broken).toEqual({ ...recovery, sub_threshold_since: null });
    const resolved = play([{ at: DAY + 2 * HOUR, operator: 'resolve' }], circuit).circuit;
    expect(circuitView(resolved, instant(DAY + 2 * HOUR)).recovery).toBeNull();
  });
});
