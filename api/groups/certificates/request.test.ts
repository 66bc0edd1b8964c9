import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { element, oid, sequence } from '../../../base/pki/der.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createCertificateRequest } from '../../../base/pki/request.ts';
import {
  COMMON_NAME,
  ORGANIZATION,
  rawExtensionRequest,
  rawName,
  rawRequest,
} from '../../../test/world/raw-request.ts';
import type { CertificateSigningRequest } from '../../types/certificates-v1.ts';
import { certificateSigningRequests } from '../certificates-v1.ts';
import { created, row, texts, updated } from '../fixture.ts';

const pem = createCertificateRequest(generateKeyPair('ec-p256'), { commonName: 'bob', organizations: [] });
const request = Buffer.from(pem).toString('base64');
const SIGNER = 'orch.io/orch-apiserver-client';

const csr = (spec: object = {}, rest: object = {}) => ({
  metadata: { name: 'r', resourceVersion: '1' },
  spec: { request, signerName: SIGNER, usages: ['client auth'], ...spec },
  ...rest,
});
const approved = { type: 'Approved', status: 'True' } as const;
const denied = { type: 'Denied', status: 'True' } as const;

describe('a new CertificateSigningRequest', () => {
  it('records its creator and ignores the user in its spec', () => {
    const { object, errors } = created(
      certificateSigningRequests,
      csr({ username: 'root', groups: ['system:masters'] }),
    );
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      username: 'alice',
      uid: 'u-1',
      groups: ['devs'],
      extra: { scope: ['a'] },
    });
  });

  it('is neither approved nor signed', () => {
    const status = { conditions: [approved], certificate: 'eA==' };
    expect(created(certificateSigningRequests, csr({}, { status })).object.status).toEqual({});
  });

  it.each<[string, object, string]>([
    ['no usages', { usages: [] }, 'spec.usages: Required value: usages must be provided'],
    ['a repeated usage', { usages: ['any', 'any'] }, 'spec.usages[1]: Duplicate value: "any"'],
    ['no signer', { signerName: '' }, 'spec.signerName: Required value: signerName must be provided'],
    [
      'a signer without a path',
      { signerName: 'example.com' },
      'spec.signerName: Invalid value: "example.com": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ],
    [
      'a signer whose domain has one label',
      { signerName: 'example/x' },
      'spec.signerName: Invalid value: "example": should be a domain with at least two segments separated by dots',
    ],
    [
      'the legacy signer',
      { signerName: 'orch.io/legacy-unknown' },
      'spec.signerName: Invalid value: "orch.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
    [
      'an expiration of less than ten minutes',
      { expirationSeconds: 599 },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
    ],
    [
      'a request that is not PEM',
      { request: 'eA==' },
      'spec.request: Invalid value: []byte{0x78}: PEM block type must be CERTIFICATE REQUEST',
    ],
  ])('is rejected with %s', (_what, spec, error) => {
    expect(texts(created(certificateSigningRequests, csr(spec)).errors)).toEqual([error]);
  });

  it('lists all usages in the error for an unknown usage', () => {
    const [error = ''] = texts(created(certificateSigningRequests, csr({ usages: ['tea'] })).errors);
    expect(error).toMatch(
      /^spec\.usages\[0\]: Unsupported value: "tea": supported values: "any", "cert sign", /,
    );
  });

  describe('with names and keys that determine an identity', () => {
    const errorsOf = (pem: string, signerName = SIGNER) => {
      const spec = csr({ request: Buffer.from(pem).toString('base64'), signerName });
      return texts(created(certificateSigningRequests, spec).errors);
    };
    const subject = rawName([COMMON_NAME, 0x0c, 'bob']);

    it.each<[string, Parameters<typeof rawRequest>[0], string]>([
      [
        'an organization in a UniversalString',
        { subject: rawName([ORGANIZATION, 0x1c, '\0\0\0a']) },
        'attribute O (organization): string type 0x1c is not supported, expected one of UTF8String, ',
      ],
      [
        'two common names',
        { subject: rawName([COMMON_NAME, 0x0c, 'bob'], [COMMON_NAME, 0x0c, 'eve']) },
        '2 common names, expected at most one',
      ],
      [
        'an RSA key of 1024 bits',
        { subject, keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) },
        'RSA modulus of 1024 bits, expected 2048 to 8192',
      ],
    ])('is rejected with %s for any signer', (_what, request, message) => {
      for (const signer of [SIGNER, 'example.com/own'])
        expect(errorsOf(rawRequest(request), signer)).toEqual([
          expect.stringMatching(/^spec\.request: Invalid value: <certificate request data>: /),
        ]);
      expect(errorsOf(rawRequest(request)).join()).toContain(message);
    });

    it('is rejected with names that its signer would omit', () => {
      const otherName = sequence(element(0xa0, oid('1.3.6.1.4.1.311.20.2.3'), element(0xa0)));
      const pem = rawRequest({ subject, attributes: [rawExtensionRequest([['2.5.29.17', otherName]])] });
      expect(errorsOf(pem)).toEqual([
        expect.stringContaining(
          'otherName subjectAltNames are not supported, expected DNS, IP, email or URI',
        ),
      ]);
      expect(errorsOf(pem, 'example.com/own')).toEqual([]);
    });
  });

  it('is rejected if it is not signed by the key that it contains', () => {
    const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const { errors } = created(
      certificateSigningRequests,
      csr({ request: Buffer.from(forged).toString('base64') }),
    );
    expect(texts(errors)).toEqual([expect.stringMatching(/^spec\.request: .*signature is invalid$/)]);
  });
});

describe('the decision on a CertificateSigningRequest', () => {
  const pending = created(certificateSigningRequests, csr()).object;
  const decide = (from: CertificateSigningRequest, conditions: object[], subresource = 'approval') =>
    updated(
      certificateSigningRequests,
      from,
      (draft) => {
        draft.status = { ...draft.status, conditions: conditions as never };
      },
      subresource,
    );

  it('records the time at which it was made', () => {
    const { object, errors } = decide(pending, [approved]);
    expect(errors).toEqual([]);
    expect(object.status?.conditions).toEqual([
      { ...approved, lastUpdateTime: '2024-01-02T03:04:05Z', lastTransitionTime: '2024-01-02T03:04:05Z' },
    ]);
  });

  it('is either approval or denial, has the status True, and is unique', () => {
    expect(texts(decide(pending, [approved, denied]).errors)).toEqual([
      'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
    expect(texts(decide(pending, [{ ...approved, status: 'False' }]).errors)).toEqual([
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ]);
    expect(texts(decide(pending, [approved, approved]).errors)).toEqual([
      'status.conditions[1].type: Duplicate value: "Approved"',
    ]);
  });

  it('cannot be removed', () => {
    expect(texts(decide(decide(pending, [approved]).object, []).errors)).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
  });

  it('cannot be added, removed or changed through the status', () => {
    const decided = decide(pending, [approved]).object;
    expect(texts(decide(pending, [approved], 'status').errors)).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    expect(texts(decide(decided, [], 'status').errors)).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const failed = { type: 'Failed', status: 'True' } as const;
    const { object, errors } = decide(decided, [{ ...approved, reason: 'Other' }, failed], 'status');
    expect(errors).toEqual([]);
    expect(object.status?.conditions).toMatchObject([decided.status?.conditions?.[0], failed]);
  });

  it('cannot be added through an update of the object', () => {
    const update = updated(
      certificateSigningRequests,
      pending,
      (draft) => (draft.status = { conditions: [approved] }),
    );
    expect(update.object.status).toEqual({});
  });

  it('changes neither the spec nor the certificate', () => {
    const { object } = updated(
      certificateSigningRequests,
      pending,
      (draft) => {
        draft.spec.username = 'root';
        draft.status = { certificate: 'eA==' };
      },
      'approval',
    );
    expect(object.spec).toEqual(pending.spec);
    expect(object.status).toEqual({});
  });
});

describe('the certificate of a CertificateSigningRequest', () => {
  const pending = created(certificateSigningRequests, csr()).object;
  const issue = (from: CertificateSigningRequest, text: string) =>
    updated(
      certificateSigningRequests,
      from,
      (draft) => {
        draft.status = { ...draft.status, certificate: Buffer.from(text).toString('base64') };
      },
      'status',
    );

  it.each([
    ['x', 'must contain at least one CERTIFICATE PEM block'],
    [pem, 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'],
    ['-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n', 'x509: malformed certificate'],
  ])('must consist of CERTIFICATE blocks only', (text, problem) => {
    expect(texts(issue(pending, text).errors)).toEqual([
      `status.certificate: Invalid value: "<certificate data>": ${problem}`,
    ]);
  });

  it('is immutable once set', () => {
    const issued = { ...pending, status: { certificate: 'eA==' } };
    expect(texts(issue(issued, 'y').errors)).toContain(
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    );
  });
});

describe('the row of a CertificateSigningRequest', () => {
  it.each<[object, string]>([
    [{}, 'Pending'],
    [{ conditions: [approved] }, 'Approved'],
    [{ conditions: [approved], certificate: 'eA==' }, 'Approved,Issued'],
    [{ conditions: [denied] }, 'Denied'],
    [{ conditions: [approved, { type: 'Failed', status: 'True' }] }, 'Approved,Failed'],
  ])('shows for the status %j the condition %s', (status, text) => {
    const { object } = created(certificateSigningRequests, csr({ expirationSeconds: 3600 }));
    expect(row(certificateSigningRequests, { ...object, status })).toMatchObject({
      SignerName: SIGNER,
      Requestor: 'alice',
      RequestedDuration: '60m',
      Condition: text,
    });
  });
});
