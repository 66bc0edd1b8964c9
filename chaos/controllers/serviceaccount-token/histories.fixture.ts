import { secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import {
  base64,
  named,
  makes,
  drops,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const { secretTypes } = orchVocabulary;

const account = named('app', {});
const serviceToken = named(
  'app-token-x',
  { type: secretTypes.serviceAccountToken },
  { annotations: { [orchVocabulary.serviceAccountName]: 'app' } },
);

/** Returns a token Secret of the ServiceAccount `app`, which has the given uid. */
const tokenOf = (uid: string) => {
  const { serviceAccountName, serviceAccountUid } = orchVocabulary;
  const annotations = { [serviceAccountName]: 'app', [serviceAccountUid]: uid };
  return named(
    'app-token-x',
    { type: secretTypes.serviceAccountToken, data: { token: 'x' } },
    { annotations },
  );
};

/** Returns a generated token Secret with the given name. */
const generated = (name: string) => {
  const { annotations } = tokenOf('1').metadata ?? {};
  return named(name, { type: secretTypes.serviceAccountToken }, { uid: name, annotations });
};

/** Returns a token Secret of `app` that contains the certificate of an authority. */
const filledWith = (pem: string) => {
  const secret = tokenOf('app');
  return { ...secret, data: { token: 'x', namespace: 'dGVhbQ==', 'ca.crt': base64(pem) } };
};

/** Histories of the invariants of `serviceaccount-token`. */
export const histories: readonly History[] = [
  [
    'serviceaccount-token/no-needed-token-deleted',
    [
      makes('user', serviceAccounts, account),
      makes('user', secrets, serviceToken),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
    [makes('user', secrets, serviceToken), drops('serviceaccount-token', secrets, serviceToken)],
  ],
  [
    'serviceaccount-token/no-needed-token-deleted',
    [
      makes('user', serviceAccounts, named('app', { secrets: [] })),
      makes('user', secrets, serviceToken),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
    [
      makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-y' }] })),
      makes('user', secrets, {
        ...serviceToken,
        metadata: { ...serviceToken.metadata, name: 'app-token-y', uid: 'y' },
      }),
      makes('user', secrets, serviceToken),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
  ],
  [
    'serviceaccount-token/token-of-its-account',
    [
      turns(
        'serviceaccount-token',
        secrets,
        serviceToken,
        named(
          'app-token-x',
          { data: { token: base64(`a.${base64('{}')}.b`) } },
          { annotations: { [orchVocabulary.serviceAccountUid]: 'app' } },
        ),
      ),
    ],
    [
      turns(
        'serviceaccount-token',
        secrets,
        serviceToken,
        named(
          'app-token-x',
          { data: { token: base64(`a.${base64('{"uid":"app"}')}.b`) } },
          { annotations: { [orchVocabulary.serviceAccountUid]: 'app' } },
        ),
      ),
    ],
  ],
  [
    'serviceaccount-token/no-token-replaced',
    [
      turns(
        'serviceaccount-token',
        secrets,
        named('s', { data: { token: 'a' } }),
        named('s', { data: { token: 'b' } }),
      ),
    ],
    [turns('serviceaccount-token', secrets, named('s', {}), named('s', { data: { token: 'b' } }))],
  ],
  [
    'serviceaccount-token/no-foreign-data-lost',
    [turns('serviceaccount-token', secrets, named('s', { data: { note: 'a' } }), named('s', { data: {} }))],
    [
      turns(
        'serviceaccount-token',
        secrets,
        named('s', { data: { note: 'a' } }),
        named('s', { data: { note: 'a' } }),
      ),
    ],
  ],
  [
    'serviceaccount-token/no-token-of-old-account',
    [
      drops('user', serviceAccounts, account),
      makes('user', serviceAccounts, named('app', {}, { uid: 'another' })),
      makes('user', secrets, tokenOf('app')),
    ],
    [
      drops('user', serviceAccounts, account),
      makes('user', serviceAccounts, named('app', {}, { uid: 'another' })),
      makes('user', secrets, tokenOf('another')),
    ],
  ],
  [
    'serviceaccount-token/no-named-token-deleted',
    [
      makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-x' }] })),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
    [
      makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-y' }] })),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
  ],
  [
    'serviceaccount-token/token-is-filled',
    [makes('user', serviceAccounts, account), makes('user', secrets, serviceToken)],
    [makes('user', serviceAccounts, account), makes('user', secrets, filledWith('ca'))],
  ],
  [
    'serviceaccount-token/no-orphaned-token',
    [makes('user', secrets, serviceToken)],
    [
      makes('user', serviceAccounts, named('other')),
      makes('user', secrets, serviceToken),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
  ],
  [
    'serviceaccount-token/no-dangling-reference',
    [makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-x' }] }))],
    [
      turns(
        'serviceaccount-token',
        serviceAccounts,
        named('app', { secrets: [{ name: 'app-token-x' }, { name: 'of-the-user' }] }),
        named('app', { secrets: [{ name: 'of-the-user' }] }),
      ),
    ],
  ],
  [
    'serviceaccount-token/no-dangling-reference',
    [makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-x' }] }))],
    [
      makes('user', secrets, serviceToken),
      makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-x' }] })),
    ],
  ],
];

/** Histories of a controller that generates tokens. */
export const generatedTokenHistories: readonly History[] = [
  [
    'serviceaccount-token/no-second-generated-token',
    [
      makes('serviceaccount-token', secrets, generated('app-token-y')),
      makes('serviceaccount-token', secrets, generated('app-token-z')),
    ],
    [
      makes('serviceaccount-token', secrets, generated('app-token-y')),
      drops('serviceaccount-token', secrets, generated('app-token-y')),
      makes('serviceaccount-token', secrets, generated('app-token-z')),
      makes('user', secrets, generated('app-token-w')),
    ],
  ],
];

/** Histories of ServiceAccounts with two generated tokens. */
export const duplicatedTokenHistories: readonly History[] = [
  [
    'serviceaccount-token/one-of-two-left',
    [makes('user', secrets, generated('app-token-y')), makes('user', secrets, generated('app-token-z'))],
    [
      makes('user', secrets, generated('app-token-y')),
      makes('user', secrets, generated('app-token-z')),
      drops('serviceaccount-token', secrets, generated('app-token-y')),
    ],
  ],
];

/** Histories after the authority was rotated to `ca`. */
export const rotatedTokenHistories: readonly History[] = [
  [
    'serviceaccount-token/current-certificate',
    [makes('user', serviceAccounts, account), makes('user', secrets, filledWith('former'))],
    [
      makes('user', serviceAccounts, account),
      turns('serviceaccount-token', secrets, filledWith('former'), filledWith('ca')),
    ],
  ],
];
