import { MINUTE, SECOND } from '../../../domain/time.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

/** The evidence log. */
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
  LOG_INTERVAL_SECONDS: of(
    shape.integer(1, 60),
    String(MINUTE / SECOND),
    'How many seconds of events the evidence log takes in together; a divisor of 60.',
  ),
  LOG_PUBLIC: of(
    shape.oneOf('on', 'off'),
    'on',
    'With `off` only receipts and witnesses show the log: no checkpoint, tile, public proof or index of a leaf is served.',
  ),
  LOG_TILES_PER_MINUTE: of(
    shape.integer(1, 1_000_000),
    '1200',
    'Files of the evidence log per client address, minute and process.',
  ),
  LOG_LAST_SEEN: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Where a worker notes the newest tree, outside of backups: a restored database signs nothing that differs from it.',
    '`.local/state/stancebook` in the home folder, by the key',
  ),
} as const;
