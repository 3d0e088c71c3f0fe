import { IDENTITY } from '../../../domain/limits.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

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
  IDP_SCOPE: may(
    shape.text('one scope, as `stancebook`', /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/),
    'Scope that access tokens must contain, in `scope` or `scp`.',
    'any scope, or none',
  ),
  IDP_ADMIN_ACR: may(
    shape.acrValues,
    'Values of `acr` by which the provider reports a second factor, for the admin area; an `amr` of RFC 8176 does too.',
    '`amr` alone',
  ),
  IDP_REQUIRE_AUTH_TIME: of(
    shape.boolean,
    'false',
    'Whether only `auth_time` of an access token says when its owner logged in; otherwise `iat` does where it is absent.',
  ),
  IDP_TOKEN_MINUTES: of(
    shape.integer(1, (7 * DAY) / MINUTE),
    String(IDENTITY.longestToken / MINUTE),
    'Minutes after its issue in which an access token is accepted, however long the provider lets it last.',
  ),
} as const;

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

export const MAILS = {
  SMTP_URL: may(
    shape.smtpUrl,
    'The server that takes our mails. `smtp:` begins with STARTTLS, which may be missing only on a loopback host; `smtps:` ' +
      'is TLS from the beginning. Needs MAIL_FROM and PUBLIC_URL.',
    'no mail is sent',
  ),
  MAIL_FROM: may(shape.mailbox, 'The sender of our mails.', 'as SMTP_URL'),
} as const;
