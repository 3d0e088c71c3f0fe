import type { components } from '../../../../../clients/typescript/client/interface.d.ts';

/** The bodies and replies of the interface by their names in `/openapi.json`. */
export type Schemas = components['schemas'];
