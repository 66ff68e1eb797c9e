from saccade.serve.metrics import Metrics


def test_prometheus_reads_it() -> None:
    metrics = Metrics()
    for _ in range(5):
        metrics.began()
    metrics.answered("/v1/translate", 200, 0.02)
    metrics.answered("/v1/translate", 200, 0.3)
    metrics.answered('/odd"\\\n', 404, 100.0)
    metrics.worked("demo-1", texts=3, tokens=2_000_001, gone=1)
    metrics.gauge("saccade_waiting_texts", "Texts that wait.", lambda: {(("model", "demo-1"),): 7.0})
    lines = metrics.text().splitlines()
    assert 'saccade_requests_total{route="/v1/translate",status="200"} 2' in lines
    assert 'saccade_requests_total{route="/odd\\"\\\\\\n",status="404"} 1' in lines
    assert 'saccade_request_seconds_bucket{route="/v1/translate",le="0.01"} 0' in lines
    assert 'saccade_request_seconds_bucket{route="/v1/translate",le="0.025"} 1' in lines
    assert 'saccade_request_seconds_bucket{route="/v1/translate",le="0.5"} 2' in lines
    assert 'saccade_request_seconds_bucket{route="/v1/translate",le="+Inf"} 2' in lines
    assert 'saccade_request_seconds_count{route="/v1/translate"} 2' in lines
    assert 'saccade_request_seconds_sum{route="/v1/translate"} 0.32' in lines
    assert 'saccade_batch_texts_bucket{model="demo-1",le="4"} 1' in lines
    assert 'saccade_batch_texts_bucket{model="demo-1",le="2"} 0' in lines
    assert 'saccade_tokens_total{model="demo-1"} 2000001' in lines
    assert 'saccade_gone_texts_total{model="demo-1"} 1' in lines
    assert 'saccade_waiting_texts{model="demo-1"} 7' in lines
    assert "saccade_requests_under_way 2" in lines
    assert "# TYPE saccade_waiting_texts gauge" in lines
