import { beforeEach, describe, expect, test } from '@jest/globals';
import { type CachedValue, cachedValue } from '../../../adapters/identity/provider-client.ts';

const SPANS = { freshFor: 600, renewEvery: 60, retryEvery: 5 };

describe('what is kept', () => {
  let now: number;
  let loads: number;
  let answer: () => Promise<string>;
  let value: CachedValue<string>;
  beforeEach(() => {
    [now, loads] = [1_000, 0];
    answer = async () => `load ${loads}`;
    const load = () => {
      loads += 1;
      return answer();
    };
    value = cachedValue(load, { ...SPANS, now: () => now });
  });
  const fails = async () => {
    throw new Error('down');
  };

  test('is loaded once for all who ask at once, and not again while it is fresh', async () => {
    expect(await Promise.all([value.get(), value.get(), value.get()])).toEqual(['load 1', 'load 1', 'load 1']);
    now += 599;
    expect([await value.get(), loads]).toEqual(['load 1', 1]);
  });

  test('is loaded anew behind the answer once it is no longer fresh', async () => {
    await value.get();
    now += 600;
    expect(await value.get()).toBe('load 1');
    expect(loads).toBe(2);
    expect(await value.get()).toBe('load 2');
  });

  test('stays when it cannot be loaded anew, which is tried once in a span', async () => {
    await value.get();
    answer = fails;
    now += 600;
    for (let call = 0; call < 10; call += 1) expect(await value.get()).toBe('load 1');
    now += 59;
    expect([await value.get(), loads]).toEqual(['load 1', 2]);
    now += 1;
    expect([await value.get(), loads]).toEqual(['load 1', 3]);
  });

  test('while there is no value, every caller gets the error, and a load is tried again after a while', async () => {
    answer = fails;
    await expect(value.get()).rejects.toThrow('down');
    now += 4;
    await expect(value.get()).rejects.toThrow('down');
    expect(loads).toBe(1);
    answer = async () => 'up';
    now += 1;
    expect([await value.get(), loads]).toEqual(['up', 2]);
  });

  test('is renewed at most once in a span, however many ask', async () => {
    await value.get();
    expect(await Promise.all([value.renew(), value.renew()])).toEqual(['load 1', 'load 1']);
    now += 60;
    expect(await Promise.all([value.renew(), value.renew(), value.get()])).toEqual(['load 2', 'load 2', 'load 1']);
    expect(loads).toBe(2);
  });

  test('a failed renewal is reported for the span, and the cached value stays', async () => {
    await value.get();
    now += 60;
    answer = fails;
    await expect(value.renew()).rejects.toThrow('down');
    await expect(value.renew()).rejects.toThrow('down');
    expect([await value.get(), loads]).toEqual(['load 1', 2]);
  });

  test('a clock that was set back holds nothing up', async () => {
    await value.get();
    now -= 500;
    expect([await value.renew(), loads]).toEqual(['load 2', 2]);
  });
});
