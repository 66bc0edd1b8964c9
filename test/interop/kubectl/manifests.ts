import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createCertificateRequest } from '../../../base/pki/request.ts';
import type { KubectlFixture } from '../kubectl.ts';

/** Returns a ConfigMap manifest. */
export const configMap = (name: string, data: object, more: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data });

/** Returns a pod manifest. */
export const pod = (name: string, more: object = {}) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...more },
  });

/** Returns a request for a client certificate. */
export const request = (name: string) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: {
    request: Buffer.from(
      createCertificateRequest(generateKeyPair('ec-p256'), { commonName: name, organizations: ['team'] }),
    ).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
  },
});

/** Returns the running cluster; called within tests only. */
export type Cluster = () => KubectlFixture;

/** Reads an object as JSON. */
export const jsonOf = async (k: Cluster, what: string): Promise<unknown> =>
  JSON.parse(await k().run(`get ${what} -o json`));
