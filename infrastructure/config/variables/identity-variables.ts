import * as shape from '../shapes.ts';
import { may } from '../variable.ts';

export const IDENTITY_PROVIDER = {
  IDP_ISSUER: may(shape.issuer, 'Issuer; its endpoints are discovered.', 'sign-in by provider answers 503'),
  IDP_CLIENT_ID: may(
    shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
    'The client id of the service at the provider.',
    'as IDP_ISSUER',
  ),
  IDP_CLIENT_SECRET: may(
    { ...shape.text('1 to 1,024 visible characters', /^[\x21-\x7e]{1,1024}$/), secret: true },
    'The client secret of the service at the provider.',
    'as IDP_ISSUER',
  ),
  IDP_AUDIENCE: may(
    shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
    'Audience that access tokens must name.',
    'as IDP_ISSUER',
  ),
} as const;
