import { type Field, textField } from '../../kit/forms.ts';
import { RefusedRequest } from '../../kit/refused-request.ts';

/** The code of a second factor, which a login asks for once the password is right. */
export interface SecondFactor {
  readonly field: Field;
  /** The members of the body that the code fills: none while it is not asked for. */
  body(): Readonly<Record<string, string>>;
  /** Shows the field when the account needs a code; another refusal is thrown on. */
  askAfter(error: unknown): void;
}

const APP_CODE = /^\d{6}$/;

export function secondFactor(): SecondFactor {
  const field = textField(
    {
      name: 'totp',
      label: 'Code',
      hint: 'The password is right. Now a code of your authenticator app, a recovery code, or your passkey.',
    },
    { autocomplete: 'one-time-code', autocapitalize: 'none', spellcheck: 'false' },
  );
  field.element.hidden = true;
  return {
    field,
    body() {
      const code = field.control.value.trim();
      if (field.element.hidden || code === '') return {};
      const digits = code.replaceAll(' ', '');
      return APP_CODE.test(digits) ? { totp: digits } : { recovery_code: code };
    },
    askAfter(error) {
      const isAsked = error instanceof RefusedRequest && error.code === 'SECOND_FACTOR_REQUIRED';
      if (!isAsked || !field.element.hidden) throw error;
      field.element.hidden = false;
      field.control.required = true;
      field.control.focus();
    },
  };
}
