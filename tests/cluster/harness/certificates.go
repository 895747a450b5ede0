package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority signs the certificates of one run.
type Authority struct {
	File string // its certificate, PEM

	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// KeyPair names the PEM files of a certificate and its key.
type KeyPair struct{ Cert, Key string }

// NewAuthority makes a self-signed authority and writes its certificate to dir.
func NewAuthority(dir, name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	cert := template(name, nil)
	cert.IsCA, cert.BasicConstraintsValid = true, true
	cert.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	a := &Authority{File: filepath.Join(dir, name+".crt"), dir: dir, key: key}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	return a, writePem(a.File, "CERTIFICATE", der)
}

// Server makes a certificate for a server on loopback.
func (a *Authority) Server(name string) (KeyPair, error) {
	cert := template(name, nil)
	cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	cert.DNSNames = []string{"localhost", name}
	cert.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return a.sign(name, cert)
}

// Client makes a certificate that Kubernetes reads as this user and these groups.
func (a *Authority) Client(file, user string, groups ...string) (KeyPair, error) {
	cert := template(user, groups)
	cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(file, cert)
}

func (a *Authority) sign(file string, cert *x509.Certificate) (KeyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return KeyPair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return KeyPair{}, err
	}
	pair := KeyPair{filepath.Join(a.dir, file+".crt"), filepath.Join(a.dir, file+".key")}
	if err := writePem(pair.Cert, "CERTIFICATE", der); err != nil {
		return KeyPair{}, err
	}
	return pair, writeKey(pair.Key, key)
}

// signingKey writes the key that signs service account tokens.
func signingKey(file string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return writeKey(file, key)
}

func template(name string, groups []string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func writeKey(file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePem(file, "EC PRIVATE KEY", der)
}

func writePem(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
