import { accountOfNobody, GHOST_WORKFLOW, record } from '../authorisation/requests.ts';
import { addition, type Operation, operation } from './operation.ts';

const USDC = '/api/v1/admin/stablecoin/USDC';

export const ADMIN: readonly Operation[] = [
  operation('POST /admin/decisions/{record_id}/quarantine', 204, { fresh: 'an admin changes' }, async (cast, of) => ({
    ...(await record(cast, of)),
    body: { reason: 'a stolen key' },
  })),
  operation(
    'POST /admin/instruments/{market}/{symbol}/{venue}/{asset_class}/{quote_currency}/refresh',
    202,
    'an admin changes',
    () => ({
      path: '/api/v1/admin/instruments/crypto/BTC/COINBASE/spot/USD/refresh',
    }),
  ),
  addition('GET /admin/security-events', 200, 'an admin reads', () => ({
    path: `/api/v1/admin/security-events?owner_id=${GHOST_WORKFLOW}`,
  })),
  operation('GET /admin/stablecoin', 200, 'an admin reads'),
  // settled.md 9
  addition('GET /admin/stablecoin/{coin}/history', 200, 'an admin reads', () => ({ path: `${USDC}/history` })),
  operation('POST /admin/stablecoin/{coin}/resolve', 200, 'an admin changes', async ({ service: { arrange } }) => {
    await arrange.circuit('USDC', 'warming');
    const body = { justification: 'It holds.', evidence_urls: ['https://example.com/report'] };
    return { path: `${USDC}/resolve`, body };
  }),
  operation('POST /admin/stablecoin/{coin}/trip', 200, 'an admin changes', () => ({
    path: `${USDC}/trip`,
    body: { reason: 'It does not hold.' },
  })),
  addition('GET /admin/status', 200, 'an admin reads'),
  addition('GET /admin/minutes', 200, 'an admin reads'),
  addition('POST /admin/sources/probe', 200, 'an admin changes'),
  addition('POST /admin/backups', 202, 'an admin changes'),
  addition('GET /admin/accounts', 200, 'an admin reads', () => ({
    path: `/api/v1/admin/accounts?find=${GHOST_WORKFLOW}`,
  })),
  addition('GET /admin/accounts/{owner_id}', 200, 'an admin reads', accountOfNobody('')),
  addition(
    'POST /admin/accounts/{owner_id}/suspend',
    200,
    'an admin changes',
    accountOfNobody('/suspend', { reason: 'a stolen key' }),
  ),
  addition('POST /admin/accounts/{owner_id}/resume', 200, 'an admin changes', accountOfNobody('/resume')),
  addition('PUT /admin/accounts/{owner_id}/tier', 200, 'an admin changes', accountOfNobody('/tier', { tier: 'free' })),
  addition('GET /admin/audit-log', 200, 'an admin reads', () => ({
    path: `/api/v1/admin/audit-log?subject=${GHOST_WORKFLOW}`,
  })),
  addition('GET /admin/quarantined-decisions', 200, 'an admin reads', () => ({
    path: `/api/v1/admin/quarantined-decisions?owner_id=${GHOST_WORKFLOW}`,
  })),
  addition('POST /admin/decisions/{record_id}/release', 200, { fresh: 'an admin changes' }, async (cast, of) => ({
    ...(await record(cast, of)),
    body: { reason: 'it was not stolen' },
  })),
  addition('GET /admin/instruments', 200, 'an admin reads', () => ({ path: '/api/v1/admin/instruments?symbol=NONE' })),
  addition('GET /admin/stablecoin/{coin}/observations', 200, 'an admin reads', () => ({
    path: `${USDC}/observations`,
  })),
];
