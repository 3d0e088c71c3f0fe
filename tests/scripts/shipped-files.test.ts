import { expect, test } from '@jest/globals';
import { isShipped } from '../../scripts/build/shipped-files.ts';

test.each(['stancebook.env', 'postgres.env', 'metrics-token', 'grafana-password', 'log-key.pem'])(
  '%s, a secret that an operator keeps next to its example, is in no package',
  (name) => {
    expect(isShipped(`docs/operating/${name}`)).toBe(false);
  },
);

test.each(['docs/operating/stancebook.env.example', 'docs/log.md', 'adapters/postgres/functions/submit.sql'])(
  '%s is in the package',
  (path) => {
    expect(isShipped(path)).toBe(true);
  },
);
