import { z } from 'zod';
import { readSecurity } from '../../../../application/market/names.ts';
import type { Ports } from '../../../../application/ports.ts';
import { PUBLIC_REPLIES } from '../../../../domain/limits.ts';
import { NAME_KINDS, NAME_SOURCES } from '../../../../domain/market/name-statement.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { readAs } from '../../shapes/cohorts/cohort.ts';
import { assetClass, market } from '../../shapes/texts.ts';

export function securityEndpoints(ports: Ports): readonly Endpoint[] {
  return [securityEndpoint(ports), namesEndpoint(ports)];
}

const tag = 'Securities';
const name = z.string().max(40);
const date = z.iso.date();

const statement = z
  .strictObject({
    id: z.int(),
    market,
    name,
    venue: name.optional(),
    asset_class: assetClass.optional(),
    quote: name.optional(),
    from: date,
    until: date.optional(),
    key: name,
    kind: z.enum(NAME_KINDS),
    units: z.number().optional().describe('Units of the security in one unit of the line: 1,000 for 1000PEPE.'),
    ratio: z.number().optional().describe('New units for each old one.'),
    successor: name.optional(),
    source: z.strictObject({ kind: z.enum(NAME_SOURCES), name: z.string(), url: z.string().optional() }),
    prices: z
      .strictObject({ last_close: z.number(), first_open: z.number(), both_on: date.optional() })
      .optional()
      .describe('The prices next to a rename that it was held against.'),
    learned_at: z.iso.datetime(),
    withdraws: z.int().optional().describe('The id of the statement that this one withdraws.'),
  })
  .meta({ id: 'NameStatement' });

const security = z
  .strictObject({
    market,
    symbol: name.describe('As it was asked for.'),
    read_as: readAs,
    statements: z.array(statement).readonly().describe('All about the symbol or the security, withdrawn ones too.'),
  })
  .meta({ id: 'Security' });

const META = { name: 'META', key: 'META', from: '2022-06-09', until: null };
const securityExample: z.input<typeof security> = {
  market: 'stock',
  symbol: 'META',
  read_as: {
    symbol: 'META',
    names: [{ name: 'FB', key: 'META', from: '2012-05-18', until: '2022-06-09' }, META],
    others: [{ name: 'META', key: 'METV', from: '2021-06-30', until: '2022-01-31' }],
  },
  statements: [
    {
      ...{ id: 2, market: 'stock', name: 'META', from: '2022-06-09', key: 'META', kind: 'renamed' },
      ...{ source: { kind: 'exchange', name: 'Meta Platforms' }, learned_at: '2026-01-30T12:00:00.000Z' },
    },
  ],
};

function securityEndpoint(ports: Pick<Ports, 'names' | 'clock' | 'symbols'>) {
  return endpoint({
    id: 'readSecurity',
    method: 'GET',
    path: '/api/v1/public/securities/{market}/{symbol}',
    isAddition: true,
    summary: 'Get the names of a security',
    description:
      'What a symbol means today, which other securities had the name, and every statement about them. Credentials are ' +
      'ignored.',
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    params: z.strictObject({
      market: market.meta({ description: 'The market.', example: 'stock' }),
      symbol: z.string().max(40).meta({ description: 'A name or a key, such as META, XBT or FB~2.', example: 'META' }),
    }),
    replies: { 200: { description: 'Its names.', schema: security, example: securityExample } },
    problems: ['NOT_FOUND'],
    async handle({ params }) {
      return { status: 200, body: await readSecurity(ports, params.market, params.symbol) };
    },
  });
}

function namesEndpoint({ names }: Pick<Ports, 'names'>) {
  return endpoint({
    id: 'listNames',
    method: 'GET',
    path: '/api/v1/public/securities/names',
    isAddition: true,
    summary: 'Get all statements about names',
    description:
      'JSON lines (RFC 8785), in the order in which they were learned: line 1 is statement 1. Lines with the same ' +
      '`learned_at` are one import: SHA-256 of them, each with its line feed, is in a `names` leaf of the evidence log. ' +
      'Credentials are ignored.',
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    replies: {
      200: {
        description: 'The statements.',
        contentType: 'application/jsonl; charset=utf-8',
        schema: z.string(),
        example: '{"from":"2022-06-09","key":"META","kind":"renamed","market":"stock","name":"META"}\n',
      },
    },
    problems: [],
    async handle() {
      return { status: 200, body: (await names.after(0)).map(({ line }) => `${line}\n`).join('') };
    },
  });
}
