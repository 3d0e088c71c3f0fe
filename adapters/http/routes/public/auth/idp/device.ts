import { startDeviceSignIn } from '../../../../../../application/accounts/provider/device-sign-in.ts';
import {
  type PollPorts,
  pollDeviceSignIn,
} from '../../../../../../application/accounts/provider/poll-device-sign-in.ts';
import type { Ports } from '../../../../../../application/ports.ts';
import { type Endpoint, endpoint } from '../../../../kit/endpoint.ts';
import { devicePoll, startedDeviceSignIn } from '../../../../shapes/accounts/accounts.ts';
import { createdKey, createdKeyExample } from '../../../../shapes/accounts/api-keys.ts';
import { shownOnce } from '../../../owner/auth/api-keys.ts';

export function deviceEndpoints(ports: Ports): readonly Endpoint[] {
  return [startDeviceEndpoint(ports), pollDeviceEndpoint(ports)];
}

const DEVICE_CODE = 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0c';

const startDeviceEndpoint = (ports: Pick<Ports, 'deviceAuthorization' | 'deviceSignIns' | 'clock'>) =>
  endpoint({
    id: 'startDeviceSignIn',
    method: 'POST',
    path: '/api/v1/public/auth/idp/device',
    summary: 'Sign in on a device without a browser',
    description:
      'Starts the device flow (RFC 8628) at the identity provider. Show the user `verification_uri_complete`, or ' +
      '`verification_uri` with `user_code`; then poll with `device_code`, at most once per `interval`.',
    tag: 'Accounts',
    grows: true,
    auth: 'none',
    beginsLogin: true,
    limits: 'signup',
    replies: {
      200: {
        description: 'The sign-in has begun and waits for its user.',
        schema: startedDeviceSignIn,
        example: {
          device_code: DEVICE_CODE,
          user_code: 'WDJB-MJHT',
          verification_uri: 'https://id.example.com/device',
          verification_uri_complete: 'https://id.example.com/device?user_code=WDJB-MJHT',
          expires_in: 600,
          interval: 5,
        },
      },
    },
    problems: ['OAUTH_NOT_CONFIGURED'],
    async handle() {
      return { status: 200, body: await startDeviceSignIn(ports) };
    },
  });

const pollDeviceEndpoint = (ports: PollPorts) =>
  endpoint({
    id: 'pollDeviceSignIn',
    method: 'POST',
    path: '/api/v1/public/auth/idp/device/poll',
    summary: 'Get the API key of a device sign-in',
    description:
      'Once the user has approved, adds an agent (named by `agent_name`, else "Device sign-in") and issues it a ' +
      'read_write key, at most once: the key of a lost reply cannot be read again. Until then the reply is 400: ' +
      'AUTHORIZATION_PENDING; SLOW_DOWN, after a poll before the end of the interval, which then grows by 5 seconds ' +
      '(see `retry_after_seconds`); ACCESS_DENIED; EXPIRED_TOKEN. At a limit of the tier it is 429 ' +
      'TIER_LIMIT_REACHED, and the code can be redeemed until it expires. Approved without a second factor that ' +
      'accounts need, it ends with 403 FACTOR_REQUIRED.',
    tag: 'Accounts',
    grows: true,
    auth: 'none',
    body: { schema: devicePoll, example: { device_code: DEVICE_CODE, agent_name: 'Momentum scout' } },
    replies: {
      200: {
        description: 'The key, shown only once.',
        schema: createdKey,
        example: createdKeyExample,
      },
    },
    problems: [
      'AUTHORIZATION_PENDING',
      'SLOW_DOWN',
      'ACCESS_DENIED',
      'FACTOR_REQUIRED',
      'EXPIRED_TOKEN',
      'ERASURE_SCHEDULED',
      'TIER_LIMIT_REACHED',
      'DAILY_QUOTA_EXCEEDED',
      'ACCOUNT_SUSPENDED',
      'OAUTH_NOT_CONFIGURED',
    ],
    async handle({ body, network, source }) {
      return { status: 200, body: shownOnce(await pollDeviceSignIn(ports, body, { network, source })) };
    },
  });
