import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { configFaultsBySchema } from '../../../adapters/formats/config-faults.ts';
import { WORKFLOW } from '../../../domain/limits.ts';
import { NODE_TEMPLATES, nodeTemplate } from '../../../domain/workflows/node-catalogue.ts';
import type { JsonObject, NodeTemplate } from '../../../domain/workflows/node-template.ts';

const configFaults = configFaultsBySchema();

function faultsOf(node_id: string, config: JsonObject): readonly (readonly string[])[] {
  const template = nodeTemplate(node_id);
  if (!template) throw new Error(`There is no node ${node_id}`);
  return configFaults(template, config).map(({ path, message }) => [path, message]);
}

const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' };

describe('a config', () => {
  test('that fits its schema has no faults', () => {
    expect(faultsOf('data.bars', { interval: '1h', bars: 100, adjusted: false })).toEqual([]);
    expect(faultsOf('data.bars', {})).toEqual([]);
    expect(faultsOf('input.watchlist', { instruments: [MSFT] })).toEqual([]);
  });

  test.each([
    ['an unknown member', 'data.bars', { barz: 1 }, 'barz', 'is not known; known are interval, bars, adjusted'],
    ['one that every object has', 'data.bars', { constructor: 1 }, 'constructor', /^is not known/],
    ['a missing member', 'input.watchlist', {}, 'instruments', 'is missing'],
    ['a member of the wrong type', 'data.bars', { bars: '100' }, 'bars', 'must be integer'],
    ['a number that is none of the steps', 'data.bars', { bars: 20.5 }, 'bars', 'must be integer'],
    ['a number out of range', 'data.bars', { bars: 19 }, 'bars', 'must be >= 20'],
    ['another word', 'data.bars', { interval: '2d' }, 'interval', 'must be one of 1m, 5m, 15m, 1h, 4h, 1d, 1w'],
    ['no items', 'logic.gate', { conditions: [] }, 'conditions', 'must NOT have fewer than 1 items'],
    [
      'a wrong item',
      'input.watchlist',
      { instruments: [{ ...MSFT, market: 'x' }] },
      'instruments.0.market',
      /^must be one of stock/,
    ],
    [
      'a member missing inside',
      'logic.gate',
      { conditions: [{ otherwise: 'stop' }] },
      'conditions.0.condition',
      'is missing',
    ],
    ['a name with a slash', 'data.bars', { 'a/b~c': 1 }, 'a/b~c', /^is not known/],
  ])('with %s has a fault with its place and reason', (_, node_id, config, path, message) => {
    expect(faultsOf(node_id, config)).toEqual([
      [path, message instanceof RegExp ? expect.stringMatching(message) : message],
    ]);
  });

  test('has all of its faults listed at once, up to a limit', () => {
    expect(faultsOf('data.bars', { bars: 0, adjusted: 1, interval: null }).map(([path]) => path)).toEqual([
      'interval',
      'interval',
      'bars',
      'adjusted',
    ]);
    const many = Object.fromEntries(Array.from({ length: 500 }, (__, index) => [`m${index}`, index]));
    expect(faultsOf('data.bars', many)).toHaveLength(WORKFLOW.configFaults);
  });

  test('with long names has faults with short paths', () => {
    const [[path = ''] = []] = faultsOf('data.bars', { ['m'.repeat(4_000)]: 1 });
    expect(path.length).toBe(200);
  });
});

describe.each(NODE_TEMPLATES.map((template) => [template.node_id, template] as const))(
  'the schema of %s',
  (_, template) => {
    const { config_schema } = template;

    test('is a JSON Schema of draft 2020-12 without further members', () => {
      expect(new Ajv2020().validateSchema(config_schema)).toBe(true);
      expect(config_schema).toMatchObject({ type: 'object', additionalProperties: false });
    });

    test('explains each member, and gives each that need not be sent a default or says what its absence means', () => {
      for (const [name, member] of Object.entries(membersOf(template))) {
        expect(member.description).toMatch(/\.$/);
        const required = (config_schema.required as readonly string[]).includes(name);
        const absence = /[Aa]bsent|^Added|^Only these/.test(`${member.description}`);
        expect([name, required || 'default' in member || absence]).toEqual([name, true]);
      }
    });

    test('takes its own defaults', () => {
      const defaults = Object.entries(membersOf(template)).filter(([, member]) => 'default' in member);
      const config = Object.fromEntries(defaults.map(([name, member]) => [name, member.default]));
      expect(configFaults(template, config).filter(({ message }) => message !== 'is missing')).toEqual([]);
    });

    // Comparing objects with each other is quadratic: a few KB of them would keep the process busy.
    test('asks for distinct items among plain values alone', () => {
      for (const { uniqueItems, items } of arraysIn(config_schema)) {
        if (uniqueItems) expect((items as JsonObject).type).toBe('string');
      }
    });
  },
);

function membersOf({ config_schema }: NodeTemplate): Readonly<Record<string, JsonObject>> {
  return config_schema.properties as Readonly<Record<string, JsonObject>>;
}

function arraysIn(schema: unknown): readonly JsonObject[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'type' in schema && schema.type === 'array' ? [schema as JsonObject] : [];
  return [...own, ...Object.values(schema).flatMap(arraysIn)];
}
