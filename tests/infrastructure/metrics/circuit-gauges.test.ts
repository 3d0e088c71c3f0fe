import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { observePegs } from '../../../application/circuits/change-circuit.ts';
import { MINUTE } from '../../../domain/time.ts';
import { bringTo, quotesOf } from '../../builders/circuits.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

describe.each(STORAGES)('circuits in /metrics, on %s', (storage) => {
  let service: TestService;
  beforeEach(async () => {
    service = await openService(storage, { at: AT });
  });
  afterEach(() => service.close());

  const scrape = async () => {
    const { text } = await request(service.app).get('/metrics');
    return text.split('\n').filter((line) => /^stancebook_(circuit|peg)_/.test(line));
  };

  test('before any observation: normal, no fresh source, and no figure for unknown values', async () => {
    expect(await scrape()).toEqual([
      'stancebook_circuit_state{coin="USDT",state="normal"} 1',
      'stancebook_circuit_state{coin="USDT",state="warming"} 0',
      'stancebook_circuit_state{coin="USDT",state="tripped"} 0',
      'stancebook_circuit_state{coin="USDC",state="normal"} 1',
      'stancebook_circuit_state{coin="USDC",state="warming"} 0',
      'stancebook_circuit_state{coin="USDC",state="tripped"} 0',
      'stancebook_peg_sources_fresh{coin="USDT"} 0',
      'stancebook_peg_sources_fresh{coin="USDC"} 0',
    ]);
  });

  test('the state, the drift, the sources that are fresh and the age of the newest observation', async () => {
    const pegSource = { quotes: async (coin: string) => (coin === 'USDC' ? quotesOf(130, AT) : []) };
    await observePegs({ ...service.ports, pegSource });
    await bringTo(service.ports.circuits, 'USDC', 'tripped');
    await service.arrange.advance(4 * MINUTE);
    expect(await scrape()).toEqual(
      expect.arrayContaining([
        'stancebook_circuit_state{coin="USDC",state="normal"} 0',
        'stancebook_circuit_state{coin="USDC",state="tripped"} 1',
        'stancebook_peg_drift_bps{coin="USDC"} 130',
        'stancebook_peg_sources_fresh{coin="USDC"} 3',
        'stancebook_peg_observation_age_seconds{coin="USDC"} 240',
      ]),
    );
    await service.arrange.advance(2 * MINUTE);
    expect(await scrape()).toContain('stancebook_peg_sources_fresh{coin="USDC"} 0');
  });
});
