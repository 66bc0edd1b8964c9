import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Pending: 'no approver has decided yet',
  Approved: 'an approver has accepted it, and its signer has not answered',
  Denied: 'an approver has rejected it; it never gets a certificate',
  Failed: 'its signer cannot issue a certificate',
  Issued: 'it has its certificate',
} as const;

/**
 * Lifecycle of CertificateSigningRequests
 * (https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process).
 */
export const requestLifecycle = {
  id: 'certificate-request',
  noun: 'certificate request',
  kind: { group: 'certificates', plural: 'certificatesigningrequests', kind: 'CertificateSigningRequest' },
  states,
  transitions: [
    { from: ['absent'], to: 'Pending', by: ['any client'], reason: 'it is created' },
    {
      from: ['Pending'],
      to: 'Approved',
      by: ['csrapproving', 'user'],
      reason: 'an approver accepts it',
      through: 'approval',
      adds: 'Approved',
    },
    {
      from: ['Pending'],
      to: 'Denied',
      by: ['user'],
      reason: 'an approver rejects it',
      through: 'approval',
      adds: 'Denied',
    },
    {
      from: ['Approved'],
      to: 'Failed',
      by: ['csrsigning', 'user'],
      reason: 'its signer cannot issue it',
      through: 'status',
      adds: 'Failed',
    },
    // The rules of release 1.24 allow a signer to give up before the decision.
    {
      from: ['Pending'],
      to: 'Failed',
      by: ['user'],
      reason: 'its signer gives up early',
      through: 'status',
      adds: 'Failed',
    },
    {
      from: ['Approved'],
      to: 'Issued',
      by: ['csrsigning', 'user'],
      reason: 'its signer issues the certificate',
      through: 'status',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['csrcleaner', 'garbagecollector', 'user'],
      reason: 'it is no longer needed',
    },
  ],
  stateOf({ status }) {
    const has = (type: string): boolean => status?.conditions?.some((each) => each?.type === type) === true;
    if (has('Denied')) return 'Denied';
    if (status?.certificate) return 'Issued';
    if (has('Failed')) return 'Failed';
    return has('Approved') ? 'Approved' : 'Pending';
  },
} satisfies Lifecycle<CertificateSigningRequest, keyof typeof states>;
