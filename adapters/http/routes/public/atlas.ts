import { readNetwork, readSeeds } from '../../../../application/atlas/build-atlas.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { Seed } from '../../../../domain/atlas/seeds.ts';
import { ATLAS, PUBLIC_REPLIES } from '../../../../domain/limits.ts';
import { identityOf } from '../../../../domain/market/instrument.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { network, networkExample, networkQuery, seeds, seedsExample, seedsQuery } from '../../shapes/cohorts/atlas.ts';

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
