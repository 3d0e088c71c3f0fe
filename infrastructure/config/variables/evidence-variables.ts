import { OWNER_PROOFS } from '../../../domain/cohorts/owner-proof.ts';
import { COHORT } from '../../../domain/limits.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

/** The thresholds of cohorts, the monitor of stablecoins, and the terms that owners accept. */
export const EVIDENCE = {
  WISDOM_MIN_PRODUCERS: of(
    shape.integer(1, COHORT.mostMinProducers),
    String(COHORT.minProducers),
    'Distinct owners below which a cohort is suppressed.',
  ),
  WISDOM_MIN_SAMPLES: of(
    shape.integer(1, 1_000_000),
    String(COHORT.minSamples),
    'Evaluated decisions below which a cohort is suppressed.',
  ),
  WISDOM_OWNER_PROOF: of(
    shape.oneOf(...OWNER_PROOFS),
    'none',
    'Which owners count for WISDOM_MIN_PRODUCERS: all, or with `verified` those who sign in by the identity provider or have confirmed their address.',
  ),
  PUBLIC_COHORTS: of(
    shape.oneOf('on', 'off'),
    'on',
    'Whether everybody may count cohorts, without credentials, at /api/v1/public/cohorts.',
  ),
  DATA_SNAPSHOTS: of(
    shape.oneOf('off', 'monthly'),
    'off',
    'Whether public snapshots of the decisions that cohorts show are made and served at /data/.',
  ),
  DATA_SNAPSHOTS_LICENCE: may(
    shape.text('an SPDX identifier of a licence, as `CC-BY-4.0`', /^[A-Za-z0-9][A-Za-z0-9.+-]{1,63}$/),
    'The licence of the snapshots; needed with DATA_SNAPSHOTS=monthly.',
    'no snapshots',
  ),
  CIRCUIT_MONITOR: of(
    shape.boolean,
    'true',
    'Whether the prices of USDT and USDC are fetched from exchanges every minute; never with MARKET_DATA_NETWORK=false.',
  ),
  CIRCUIT_BITSTAMP_URL: of(shape.address, 'https://www.bitstamp.net', 'Interface of Bitstamp, or a mirror.'),
  CIRCUIT_GEMINI_URL: of(shape.address, 'https://api.gemini.com', 'Interface of Gemini, or a mirror.'),
  CIRCUIT_AUTO_TRIP: of(
    shape.boolean,
    'true',
    'Whether the monitor trips circuits by itself. With `false`, tripped circuits still warm.',
  ),
  CIRCUIT_TRIPPED_SUBMITS: of(
    shape.oneOf('isolate', 'refuse'),
    'isolate',
    'What happens to submissions quoted in a tripped coin.',
  ),
  LEGAL_TERMS: of(shape.versions, '1.0', 'Versions of the terms that can be accepted, the current one last.'),
  LEGAL_PRIVACY: of(
    shape.versions,
    '1.0',
    'Versions of the privacy notice that can be accepted, the current one last.',
  ),
} as const;
