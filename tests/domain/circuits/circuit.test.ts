import { describe, expect, test } from '@jest/globals';
import { NO_RUNS, resolve, trip } from '../../../domain/circuits/circuit.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aCircuit } from '../../builders/circuits.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const DOING = { id: '019cadb4-3c00-7a1b-8c2d-3e4f5a6b7c8d', actor: 'an operator' };
const SOUND = { justification: 'redeemed at par', evidence_urls: ['https://example.com/peg'] };

describe('trip', () => {
  test.each(['normal', 'warming'] as const)('from %s: tripped, with the reason, since now', (state) => {
    const { circuit, snapshot, observation } = trip(aCircuit({ state }), DOING, 'paused', NOW);
    expect(circuit).toMatchObject({ state: 'tripped', since: NOW, snapshot_id: DOING.id, reason: 'paused' });
    const said = { reason: 'paused', justification: null, evidence_urls: null };
    expect(snapshot).toEqual({ ...DOING, ...said, coin: 'USDT', from: state, to: 'tripped', cause: 'trip', at: NOW });
    expect(observation).toBeNull();
  });

  test('ends the recovery, and no other run', () => {
    const runs = { ...NO_RUNS, below_since: NOW, above_since: NOW, trip_since: NOW, at_once: 2 };
    expect(trip(aCircuit({ runs }), DOING, 'paused', NOW).circuit.runs).toEqual({ ...runs, below_since: null });
  });

  test.each(['', ' ', 'x'.repeat(501)])('VALIDATION_ERROR for the reason %.10j', (reason) => {
    expect(() => trip(aCircuit(), DOING, reason, NOW)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  test('a clock that was set back makes no snapshot older than the one before', () => {
    const since = new Date(NOW.getTime() + MINUTE);
    const { snapshot, circuit } = trip(aCircuit({ since }), DOING, 'paused', NOW);
    expect([snapshot?.at, circuit.since]).toEqual([since, since]);
  });

  test('of a tripped circuit is a snapshot of now, and does not move since', () => {
    const since = new Date(NOW.getTime() - MINUTE);
    const { snapshot, circuit } = trip(aCircuit({ state: 'tripped', since }), DOING, 'again', NOW);
    expect([snapshot?.from, snapshot?.at]).toEqual(['tripped', NOW]);
    expect(circuit).toMatchObject({ since, snapshot_id: DOING.id, snapshot_at: NOW, reason: 'again' });
  });
});

describe('resolve', () => {
  const warming = aCircuit({ state: 'warming', since: NOW });

  test('from warming: normal, with justification and evidence', () => {
    const runs = { ...NO_RUNS, below_since: NOW };
    const { circuit, snapshot } = resolve({ ...warming, runs }, DOING, SOUND, NOW);
    expect(circuit).toMatchObject({ state: 'normal', since: NOW, reason: SOUND.justification, runs });
    const change = { coin: 'USDT', from: 'warming', to: 'normal', cause: 'resolve', at: NOW };
    expect(snapshot).toEqual({ ...DOING, ...SOUND, ...change, reason: null });
  });

  test.each(['normal', 'tripped'] as const)('CIRCUIT_NOT_WARMING from %s', (state) => {
    const attempt = () => resolve(aCircuit({ state }), DOING, SOUND, NOW);
    expect(attempt).toThrow(expect.objectContaining({ code: 'CIRCUIT_NOT_WARMING', status: 400 }));
  });

  test.each(['', '\n', 'x'.repeat(2_001)])('VALIDATION_ERROR for the justification %.10j', (justification) => {
    expect(faultsOf({ ...SOUND, justification })).toEqual(['justification']);
  });

  test.each([
    ['https://example.com'],
    ['HTTPS://example.com/a?b=c#d'],
    ['https://example.com/@user'],
    ['https://example.com/?mail=a@b'],
    ['https://[2001:db8::1]:8443/x'],
    [`https://example.com/${'x'.repeat(2_028)}`],
  ])('accepts %.60s', (url) => {
    expect(faultsOf({ ...SOUND, evidence_urls: [url] })).toEqual([]);
  });

  test.each([
    ['http://example.com'],
    ['ftp://example.com'],
    ['javascript:alert(1)'],
    ['//example.com'],
    ['https:example.com'],
    ['https://'],
    ['https:///x'],
    ['https://?x'],
    ['https://user@example.com'],
    ['https://user:password@example.com'],
    ['https://@example.com'],
    ['https://a:b@[::1]/'],
    ['https://example.com\\@evil.example'],
    [' https://example.com'],
    ['https://example.com/a b'],
    ['https://exam\nple.com'],
    ['https://exämple.com'],
    ['https://example.com:99999'],
    ['https://[::1'],
    [`https://example.com/${'x'.repeat(2_029)}`],
    [''],
  ])('VALIDATION_ERROR for the evidence %.60j, with its path', (url) => {
    expect(faultsOf({ ...SOUND, evidence_urls: ['https://example.com', url] })).toEqual(['evidence_urls.1']);
  });

  test('VALIDATION_ERROR without evidence, and for more than 20 URLs; all faults at once', () => {
    expect(faultsOf({ ...SOUND, evidence_urls: [] })).toEqual(['evidence_urls']);
    expect(faultsOf({ ...SOUND, evidence_urls: Array(20).fill('https://example.com') })).toEqual([]);
    expect(faultsOf({ ...SOUND, evidence_urls: Array(21).fill('https://example.com') })).toEqual(['evidence_urls']);
    expect(faultsOf({ justification: '', evidence_urls: [] })).toEqual(['justification', 'evidence_urls']);
  });

  /** The paths that a resolution is refused for. */
  function faultsOf(resolution: typeof SOUND): string[] {
    try {
      resolve(warming, DOING, resolution, NOW);
      return [];
    } catch (error) {
      const { code, details } = error as { code: string; details: { path: string }[] };
      expect(code).toBe('VALIDATION_ERROR');
      return details.map(({ path }) => path);
    }
  }
});
