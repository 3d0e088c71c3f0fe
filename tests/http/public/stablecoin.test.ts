import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { tripCircuit } from '../../../application/circuits/change-circuit.ts';
import { observe } from '../../../domain/circuits/observe.ts';
import { quotesOf } from '../../builders/circuits.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const UNTOUCHED = { state: 'normal', since: null, peg: null };

describe.each(STORAGES)('the public view of the circuits, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  const read = () => request(service.app).get('/api/v1/public/stablecoin');

  test('the list has both coins, even before any observation or trip', async () => {
    const { status, body } = await read();
    expect([status, body]).toEqual([
      200,
      [
        { coin: 'USDT', ...UNTOUCHED },
        { coin: 'USDC', ...UNTOUCHED },
      ],
    ]);
  });

  test('shows the peg and the state, but neither the actor nor the reason', async () => {
    await service.ports.circuits.transition('USDT', (circuit, now) =>
      observe(circuit, quotesOf(20, now), now, { id: crypto.randomUUID(), autoTrip: true }),
    );
    await tripCircuit(service.ports, 'USDC', 'redemptions are paused', 'an operator');
    const { body, text } = await read();
    expect(body).toEqual([
      { coin: 'USDT', state: 'normal', since: null, peg: expect.objectContaining({ observed_at: AT.toISOString() }) },
      { coin: 'USDC', state: 'tripped', since: AT.toISOString(), peg: null },
    ]);
    expect(Object.keys(body[0].peg).sort()).toEqual(['drift_bps', 'observed_at', 'price']);
    expect(text).not.toMatch(/operator|redemptions/);
  });
});
