package apimodel

import "fmt"

type m = map[string]any
type list = []any

// object is the least that the API server takes for an object of that kind.
func object(kind, name string) m {
	meta := m{"name": name, "namespace": Namespace}
	made := m{"apiVersion": apiVersions[kind], "kind": kind, "metadata": meta}
	switch kind {
	case "Pod":
		made["spec"] = podSpec("default-scheduler")
	case "Node":
		delete(meta, "namespace")
		made["status"] = m{"allocatable": m{"cpu": "8", "pods": "110"}, "conditions": list{m{"type": "Ready", "status": "True"}}}
	case "ResourceClaim":
		made["spec"] = claimSpec("1")
	case "ResourceClaimTemplate":
		made["spec"] = m{"spec": claimSpec("1")}
	case "ResourceSlice":
		delete(meta, "namespace")
		made["spec"] = m{"driver": driver, "nodeName": node(0), "devices": list{m{"name": "gpu-0"}, m{"name": "gpu-1"}},
			"pool": m{"name": node(0), "generation": 1, "resourceSliceCount": 1}}
	case "DeviceClass":
		delete(meta, "namespace")
		made["spec"] = m{"selectors": list{m{"cel": m{"expression": "true"}}}}
	case "DeviceTaintRule":
		delete(meta, "namespace")
		made["spec"] = m{"deviceSelector": m{"driver": driver, "pool": node(0)}, "taint": m{"key": "broken", "effect": "NoSchedule"}}
	case "PriorityClass":
		delete(meta, "namespace")
		made["value"] = 7
	case "PodDisruptionBudget":
		made["spec"] = m{"maxUnavailable": 1, "selector": m{"matchLabels": m{"app": "guarded"}}}
	case "Lease":
		made["spec"] = m{"holderIdentity": "one", "leaseDurationSeconds": 15, "leaseTransitions": 1}
	case "ConfigMap":
		made["data"] = m{"usage": "1"}
	}
	return made
}

var apiVersions = map[string]string{"Pod": "v1", "Node": "v1", "ConfigMap": "v1", "Lease": "coordination.k8s.io/v1",
	"PodDisruptionBudget": "policy/v1", "ResourceClaim": "resource.k8s.io/v1", "ResourceClaimTemplate": "resource.k8s.io/v1",
	"ResourceSlice": "resource.k8s.io/v1", "DeviceClass": "resource.k8s.io/v1", "DeviceTaintRule": "resource.k8s.io/v1",
	"PriorityClass": "scheduling.k8s.io/v1"}

// driver is none that the installed policies manage.
const driver = "api-model.example.com"

func node(i int) string { return fmt.Sprintf("%s-n%d", Namespace, i) }

// podSpec has what admission would add: the model does not know the plugins that do.
func podSpec(scheduler string) m {
	tolerate := func(key string) m {
		return m{"key": "node.kubernetes.io/" + key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
	}
	card := m{"example.com/card": "1"} // what NameExtendedClaim's mapping is for
	return m{
		"schedulerName": scheduler, "serviceAccountName": "default", "automountServiceAccountToken": false,
		"containers":  list{m{"name": "main", "image": "none", "resources": m{"requests": card, "limits": card}}},
		"tolerations": list{tolerate("not-ready"), tolerate("unreachable")},
	}
}

// claimSpec has what the API's defaults would add: dray reads what the server holds, and does not default.
func claimSpec(count string) m {
	request := m{"name": "gpu", "exactly": m{"deviceClassName": Namespace + "-gpu", "allocationMode": "ExactCount", "count": 1}}
	if count != "1" {
		request["exactly"].(m)["count"] = 2
	}
	return m{"devices": m{"requests": list{request}}}
}

func allocation(request string, device, pool int) m {
	result := m{"request": request, "driver": driver, "pool": node(pool), "device": fmt.Sprintf("gpu-%d", device)}
	return m{"devices": m{"results": list{result}}}
}

func onNode(i int) m {
	term := m{"matchFields": list{m{"key": "metadata.name", "operator": "In", "values": list{node(i)}}}}
	return m{"nodeSelectorTerms": list{term}}
}

func consumer(pod, uid string) m { return m{"resource": "pods", "name": pod, "uid": uid} }
