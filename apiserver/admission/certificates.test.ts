import { describe, expect, it } from 'vitest';
import { certificateSigningRequests } from '../../api/groups/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import type { Authorizer } from '../request.ts';
import { createCertificateApproval } from './certificate-approval.ts';
import { createCertificateSigning } from './certificate-signing.ts';
import { createCertificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { admit } from './request.fixture.ts';

/** Creates an authorizer that allows one verb on one signer. */
const allowing = (verb: string, name: string): Authorizer => ({
  name: 'test',
  authorize: async (requested) => ({
    verdict:
      requested.verb === verb &&
      requested.name === name &&
      requested.resource === 'signers' &&
      requested.group === 'certificates.k8s.io'
        ? 'allow'
        : 'no-opinion',
    reason: '',
  }),
});

const csr = (
  over: Partial<CertificateSigningRequest['spec']> = {},
  certificate = '',
): CertificateSigningRequest => ({
  metadata: { name: 'r' },
  spec: { request: '', signerName: 'acme.com/one', ...over },
  status: certificate === '' ? {} : { certificate },
});
const about = { kind: certificateSigningRequests, namespace: '', name: 'r' };

describe('CertificateApproval', () => {
  const approve = (authorizer: Authorizer) =>
    admit(createCertificateApproval({ authorizer, vocabulary: v }), {
      ...about,
      operation: 'UPDATE',
      subresource: 'approval',
      object: csr({ signerName: 'acme.com/forged' }),
      previous: csr(),
    });

  it('requires the verb approve on the signer of the stored request, by its name or domain', async () => {
    await approve(allowing('approve', 'acme.com/one'));
    await approve(allowing('approve', 'acme.com/*'));
    await expect(approve(allowing('approve', 'acme.com/forged'))).rejects.toThrow(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "acme.com/one"',
    );
  });
});

describe('CertificateSigning', () => {
  const sign = (authorizer: Authorizer, next: CertificateSigningRequest) =>
    admit(createCertificateSigning({ authorizer, vocabulary: v }), {
      ...about,
      operation: 'UPDATE',
      subresource: 'status',
      object: next,
      previous: csr(),
    });

  it('requires the verb sign for changes of the certificate or a condition', async () => {
    await sign(allowing('sign', 'acme.com/one'), csr({}, 'Y2VydA=='));
    await sign(allowing('approve', 'acme.com/one'), csr());
    const message = 'user not permitted to sign requests with signerName "acme.com/one"';
    await expect(sign(allowing('approve', 'acme.com/one'), csr({}, 'Y2VydA=='))).rejects.toThrow(message);
    const failed = { ...csr(), status: { conditions: [{ type: 'Failed', status: 'True' as const }] } };
    await expect(sign(allowing('approve', 'acme.com/one'), failed)).rejects.toThrow(message);
  });
});

describe('CertificateSubjectRestriction', () => {
  const create = (request: string, signerName = v.signers.apiserverClient) =>
    admit(createCertificateSubjectRestriction(v), { ...about, object: csr({ request, signerName }) });
  const requestFor = (...organizations: string[]): string =>
    Buffer.from(
      createCertificateRequest(generateKeyPair('ec-p256'), { commonName: 'x', organizations }),
    ).toString('base64');

  it('rejects client certificates for system:masters, but only of the API client signer', async () => {
    await create(requestFor('devs'));
    await create(requestFor('system:masters'), 'acme.com/one');
    await expect(create(requestFor('devs', 'system:masters'))).rejects.toThrow(
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
    await expect(create('AAAA')).rejects.toThrow('failed to parse CSR');
  });
});
