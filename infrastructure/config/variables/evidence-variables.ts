import { OWNER_PROOFS } from '../../../domain/cohorts/cohort-reader.ts';
import { COHORT, LOG } from '../../../domain/limits.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

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
} as const;

export const EVIDENCE_LOG = {
  LOG_KEY_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Ed25519 key in PEM (`openssl genpkey -algorithm ed25519`) that signs the evidence log; only workers read it.',
    'made once and stored in DATA_DIR; with DATABASE_URL no log is kept',
  ),
  LOG_PREVIOUS_KEY_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'The key before LOG_KEY_FILE, which signs as well for 30 days after the first signature of the new key.',
    'none',
  ),
  LOG_POLICY_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Policy of the evidence log (tlog-policy): workers ask its witnesses, and `/log/policy` serves it.',
    'no witnesses; `/log/policy` has the key of the log',
  ),
  LOG_TIMESTAMP_URLS: may(
    shape.text('URLs of time-stamp authorities', /^https?:\/\/[^\s,]+(?:,https?:\/\/[^\s,]+)*$/),
    'Time-stamp authorities (RFC 3161) that stamp the evidence log, with commas between them; name two.',
    'no timestamps',
  ),
  LOG_TIMESTAMP_SECONDS: of(
    shape.integer(1, 150),
    '120',
    'The least seconds between two questions to time-stamp authorities.',
  ),
  LOG_TIMESTAMP_CA: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Certificates in PEM to which those of LOG_TIMESTAMP_URLS must lead.',
    'needed with LOG_TIMESTAMP_URLS',
  ),
  LOG_INTERVAL_SECONDS: of(
    shape.integer(1, 60),
    String(MINUTE / SECOND),
    'How many seconds of events the evidence log takes in together; a divisor of 60.',
  ),
  LOG_PUBLIC: of(
    shape.oneOf('on', 'off'),
    'on',
    'With `off` only receipts and witnesses show the log: no checkpoint, tile, public proof, opening or index of a leaf is served.',
  ),
  LOG_TILES_PER_MINUTE: of(
    shape.integer(1, 1_000_000),
    '1200',
    'Files of the evidence log per client address, minute and process.',
  ),
  LOG_OPENINGS_PER_MINUTE: of(
    shape.integer(1, 1_000_000),
    String(LOG.openingsPerMinute),
    'Bundles of openings of the evidence log per client address, minute and process: a whole audit reads them all.',
  ),
  LOG_LAST_SEEN: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Where a worker notes the newest tree, outside of backups: a restored database signs nothing that differs from it.',
    '`.local/state/stancebook` in the home folder, by the key',
  ),
} as const;
