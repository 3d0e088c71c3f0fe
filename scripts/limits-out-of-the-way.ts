import { LIMITS } from '../infrastructure/config/variables/limits.ts';

/** Every limit of a service as one that nobody meets, for its environment: where something else is asked. */
export const LIMITS_OUT_OF_THE_WAY: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(LIMITS).map((name) => [name, '1000000'])),
  LIMIT_COOLDOWN_SECONDS: '0',
};
