import { z } from 'zod';
import { DEVICE_CODE } from '../../../../domain/accounts/provider/device-sign-in.ts';
import { agentName } from './accounts.ts';

/** RFC 8628 section 3.2. */
export const startedDeviceSignIn = z
  .strictObject({
    device_code: z.string().describe('Only for the polls. It is shown only once; keep it secret.'),
    user_code: z.string().describe('The code that the user compares or types in.'),
    verification_uri: z.string().describe('The page that the user opens in a browser.'),
    verification_uri_complete: z
      .string()
      .nullable()
      .describe('The same page with the code in its address; null if the provider has none.'),
    expires_in: z.int().describe('Seconds until the sign-in ends.'),
    interval: z.int().describe('The minimum number of seconds between two polls.'),
  })
  .meta({ id: 'DeviceSignIn' });

export const devicePoll = z
  .strictObject({
    device_code: z.string().regex(DEVICE_CODE, 'must be a device_code as returned by POST .../idp/device'),
    agent_name: agentName.optional(),
  })
  .meta({ id: 'DevicePoll' });
