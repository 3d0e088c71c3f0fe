import { z } from 'zod';
import { DEVICE_CODE } from '../../../domain/accounts/device-sign-in.ts';
import { agentName } from './accounts.ts';

/** RFC 8628 section 3.2. */
export const startedDeviceSignIn = z
  .strictObject({
    device_code: z.string().describe('For the polls alone. It is shown this once; show nobody.'),
    user_code: z.string().describe('What the user compares, or types in.'),
    verification_uri: z.string().describe('Where the user opens a browser.'),
    verification_uri_complete: z
      .string()
      .nullable()
      .describe('The same with the code in it; null where there is none.'),
    expires_in: z.int().describe('Seconds until the sign-in ends.'),
    interval: z.int().describe('Seconds between two polls, at least.'),
  })
  .meta({ id: 'DeviceSignIn' });

export const devicePoll = z
  .strictObject({
    device_code: z.string().regex(DEVICE_CODE, 'must be a device_code as POST .../idp/device answers it'),
    agent_name: agentName.optional(),
  })
  .meta({ id: 'DevicePoll' });
