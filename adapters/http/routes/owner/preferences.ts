import { setPreferences } from '../../../../application/accounts/set-preferences.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { preferences, preferencesPatch } from '../../shapes/accounts/owner-settings.ts';

export const preferencesEndpoint = (ports: Pick<Ports, 'transaction'>) =>
  endpoint({
    id: 'setPreferences',
    method: 'PUT',
    path: '/api/v1/owner/preferences',
    summary: 'Set preferences',
    description:
      'Merges the body into your preferences by RFC 7396 (JSON merge patch): null removes a member, objects are merged ' +
      'at every level, everything else is replaced. At most 8 KiB are stored. `{}` changes nothing and returns them.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    body: {
      schema: preferencesPatch,
      example: { timezone: 'Europe/Berlin', display_name: null, notify: { digest: { weekly: true } } },
    },
    replies: {
      200: {
        description: 'The merged preferences.',
        schema: preferences,
        example: { timezone: 'Europe/Berlin', locale: 'en-GB', notify: { digest: { weekly: true } } },
      },
    },
    problems: [],
    handle: async ({ caller, body }) => ({ status: 200, body: await setPreferences(ports, caller.owner_id, body) }),
  });
