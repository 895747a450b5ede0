package cluster

import (
	"context"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8sframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/eviction_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/cache"
	k8splugins "github.com/NVIDIA/KAI-scheduler/pkg/scheduler/k8s_internal/plugins"
)

// An API server that knows nothing. To wait for its informers takes 100 ms, so all sessions share them.
var nothing = sync.OnceValues(func() (kubernetes.Interface, informers.SharedInformerFactory) {
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Resource().V1().ResourceClaims().Informer()
	factory.Resource().V1().ResourceSlices().Informer()
	factory.Resource().V1().DeviceClasses().Informer()
	factory.Start(context.Background().Done())
	factory.WaitForCacheSync(context.Background().Done())
	return client, factory
})

// sink is the cache of a session without a cluster: what KAI decides is only seen in the session.
type sink struct {
	cache.Cache // nil: what is not below is never called
	nodes       *cache.K8sClusterPodAffinityInfo
	plugins     *k8splugins.K8sPlugins
}

func newSink(nodes *cache.K8sClusterPodAffinityInfo) *sink {
	client, factory := nothing()
	return &sink{nodes: nodes, plugins: k8splugins.InitializeInternalPlugins(client, factory, nodes)}
}

func (s *sink) Bind(*pod_info.PodInfo, string, map[string]string) error { return nil }
func (s *sink) Evict(*v1.Pod, *podgroup_info.PodGroupInfo, eviction_info.EvictionMetadata, string) error {
	return nil
}
func (s *sink) TaskPipelined(*pod_info.PodInfo, string) {}
func (s *sink) KubeClient() kubernetes.Interface {
	client, _ := nothing()
	return client
}
func (s *sink) KubeInformerFactory() informers.SharedInformerFactory {
	_, factory := nothing()
	return factory
}
func (s *sink) SnapshotSharedLister() k8sframework.NodeInfoLister { return s.nodes }
func (s *sink) InternalK8sPlugins() *k8splugins.K8sPlugins        { return s.plugins }
