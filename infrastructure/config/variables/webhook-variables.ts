import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

/** What the sender of webhooks may reach, and how. */
export const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE: of(
    shape.boolean,
    'false',
    'Whether webhooks may also use http, and reach loopback, private networks and their names: for trials, and where ' +
      'all owners are your own. Link-local addresses, and with them the metadata of clouds, are never reached.',
  ),
  WEBHOOK_PROXY: may(
    shape.httpProxy,
    'An HTTP proxy through which all webhooks are sent (CONNECT); it resolves their names, and has to refuse private ' +
      'addresses itself.',
    'webhooks are sent directly',
  ),
} as const;
