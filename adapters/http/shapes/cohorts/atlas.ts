import { z } from 'zod';
import { BANDS, EDGE_KINDS, NODE_KINDS } from '../../../../domain/atlas/network.ts';
import { ATLAS } from '../../../../domain/limits.ts';
import { instant, queryBoolean, queryInt64 } from '../../kit/input/query-values.ts';
import { identity } from '../decisions/decision-parts.ts';
import { cohortExample, cohortHandle, cohortHandleExample, overview } from './cohort.ts';

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

export const networkExample: z.input<typeof network> = {
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

export const networkQuery = z.strictObject({ include_retroactive });

export const seedsQuery = z.strictObject({
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

export const seedsExample: z.input<typeof seeds> = {
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
