import { chmodSync } from 'node:fs';
import { createCertificateAuthority } from '../../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { createCertificateRequest } from '../../../base/pki/request.ts';
import { createSystemRandom } from '../../../base/random/system.ts';
import type { KubectlFixture } from '../kubectl.ts';
import { manifests } from './manifests.ts';

const request = (name: string): object => ({
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

/** Writes the files that the session reads to its working folder. */
export function writeFiles(k: KubectlFixture): void {
  for (const [name, text] of Object.entries(manifests)) k.file(name, text);
  k.file('csr.json', ['wanted', 'unwanted'].map((name) => JSON.stringify(request(name))).join('\n'));
  const keys = generateKeyPair('ec-p256');
  const validity = { notBeforeMs: Date.now(), notAfterMs: Date.now() + 3_600_000 };
  const { certificatePem } = createCertificateAuthority(
    { commonName: 'shop', organizations: [] },
    keys,
    validity,
    createSystemRandom(),
  );
  k.file('tls.key', privateKeyPem(keys.privateKey));
  k.file('tls.crt', certificatePem);
  chmodSync(k.file('edit.sh', `#!/bin/sh\nsed -i 's/a: "4"/a: edited/' "$1"\n`), 0o700);
}
