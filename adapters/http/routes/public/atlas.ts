import { z } from 'zod';
import { readNetwork, readSeeds } from '../../../../application/atlas/build-atlas.ts';
import type { Ports } from '../../../../application/ports.ts';
import { BANDS, EDGE_KINDS, NODE_KINDS } from '../../../../domain/atlas/network.ts';
import type { Seed } from '../../../../domain/atlas/seeds.ts';
import { ATLAS, PUBLIC_REPLIES } from '../../../../domain/limits.ts';
import { identityOf } from '../../../../domain/market/instrument.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { instant, queryBoolean, queryInt64 } from '../../kit/input/query-values.ts';
import { cohortExample, cohortHandle, cohortHandleExample, overview } from '../../shapes/cohorts/cohort.ts';
import { identity } from '../../shapes/decisions/decision-parts.ts';

const tag = 'Atlas';

export function atlasNetworkEndpoint(ports: Pick<Ports, 'atlas'>) {
  return endpoint({
    id: 'readAtlasNetwork',
    method: 'GET',
    path: '/api/v1/public/atlas/network',
    summary: 'Read the network of the atlas',
    description:
      'Instruments, perspectives and published workflows of public records, and the links between them. Each has enough ' +
      'owners, and its records are counted in bands. `co_analysis` links instruments that were analysed in the same months, ' +
      'by any owner. Retroactive records count only with `include_retroactive=true`. The network is built every ' +
      `${ATLAS.rebuildEvery / MINUTE} minutes.`,
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    query: networkQuery,
    replies: { 200: { description: 'The network.', schema: network, example: networkExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ query }) {
      return { status: 200, body: await readNetwork(ports, query) };
    },
  });
}

/** @param wisdom the endpoint that the queries of the seeds go to */
export function atlasSeedsEndpoint(ports: Pick<Ports, 'atlas'>, wisdom: Pick<Endpoint, 'path'>) {
  return endpoint({
    id: 'readAtlasSeeds',
    method: 'GET',
    path: '/api/v1/public/atlas/seeds',
    summary: 'List records to start from',
    description:
      'Public records spread over markets and regimes, each with the counts of its instrument and the cohort query ' +
      'for them. Retroactive records are included only with `include_retroactive=true`. A record that is no longer public ' +
      'is removed at once, with all seeds of its instrument, until the atlas is built again.',
    tag,
    auth: 'none',
    // A cache must revalidate its copy: no record is shown after its quarantine.
    sharedFor: 0,
    query: seedsQuery,
    replies: { 200: { description: 'The seeds.', schema: seeds, example: seedsExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ query }) {
      const { generated_at, items } = await readSeeds(ports, query);
      return { status: 200, body: { generated_at, items: items.map((seed) => linked(seed, wisdom)) } };
    },
  });
}

function linked(seed: Seed, { path }: Pick<Endpoint, 'path'>) {
  const query = { ...identityOf(seed.record), include_retroactive: seed.query.include_retroactive };
  const sent = new URLSearchParams({ ...query, include_retroactive: String(query.include_retroactive) });
  return { ...seed, query, wisdom_url: `${path}?${sent}` };
}

const band = z.enum(BANDS);
const nodeId = z
  .string()
  .describe(
    '`instrument:` and its five identity fields joined by colons, or `perspective:` or `workflow:` and a hash.',
  );

export const network = z
  .strictObject({
    generated_at: instant(),
    nodes: z
      .array(
        z
          .strictObject({
            id: nodeId,
            kind: z.enum(NODE_KINDS),
            label: z.string(),
            count_band: band.describe('The number of its public records.'),
          })
          .meta({ id: 'AtlasNode' }),
      )
      .readonly()
      .describe(`At most ${ATLAS.nodes}.`),
    edges: z
      .array(
        z
          .strictObject({
            from: nodeId,
            to: nodeId,
            kind: z.enum(EDGE_KINDS),
            weight_band: band.describe('The number of public records behind the link.'),
          })
          .meta({ id: 'AtlasEdge' }),
      )
      .readonly(),
  })
  .meta({ id: 'AtlasNetwork' });

const MSFT = 'instrument:stock:MSFT:NASDAQ:spot:USD';

const networkExample: z.input<typeof network> = {
  generated_at: new Date('2026-01-30T14:30:00Z'),
  nodes: [
    { id: MSFT, kind: 'instrument', label: 'MSFT NASDAQ', count_band: '10-49' },
    { id: 'perspective:technical', kind: 'perspective', label: 'technical', count_band: '50-199' },
  ],
  edges: [{ from: 'perspective:technical', to: MSFT, kind: 'perspective_of', weight_band: '10-49' }],
};

const include_retroactive = queryBoolean()
  .optional()
  .describe('Whether retroactive records count, whose outcome could be known when they were submitted; default false.');

const networkQuery = z.strictObject({ include_retroactive });

const seedsQuery = z.strictObject({
  limit: queryInt64(0)
    .optional()
    .describe(`Default ${ATLAS.defaultSeeds}; more than ${ATLAS.seeds} is read as ${ATLAS.seeds}.`),
  node: z
    .string()
    .regex(/^(instrument|perspective|workflow):[\x21-\x7e]{1,100}$/, 'must be the id of a node of the network')
    .optional()
    .describe('Only seeds of this node of the network; none if the network does not contain it.'),
  include_retroactive,
});

export const seeds = z
  .strictObject({
    generated_at: instant(),
    items: z
      .array(
        z
          .strictObject({
            record: cohortHandle,
            nodes: z.array(nodeId).readonly().describe('The nodes of the network that it belongs to.'),
            overview: overview.describe('The counts of the cohort of `query` when the atlas was built.'),
            query: z.strictObject({ ...identity, include_retroactive: z.boolean() }),
            wisdom_url: z.string().describe('The same query, for a caller with a credential.'),
          })
          .meta({ id: 'AtlasSeed' }),
      )
      .readonly(),
  })
  .meta({ id: 'AtlasSeeds' });

const { market, symbol, venue, asset_class, quote_currency } = cohortHandleExample;

const seedsExample: z.input<typeof seeds> = {
  generated_at: new Date('2026-01-30T14:30:00Z'),
  items: [
    {
      record: cohortHandleExample,
      nodes: [MSFT],
      overview: cohortExample.overview,
      query: { market, symbol, venue, asset_class, quote_currency, include_retroactive: true },
      wisdom_url:
        '/api/v1/agent/wisdom?market=stock&symbol=MSFT&venue=NASDAQ&asset_class=spot&quote_currency=USD&include_retroactive=true',
    },
  ],
};
