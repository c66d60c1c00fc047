"""summand in other libraries, one module for each:

    langchain    SummandEmbeddings, SummandReranker                              langchain-core
    llama_index  SummandEmbedding                                                llama-index-core
    haystack     SummandTextEmbedder, SummandDocumentEmbedder, SummandRanker     haystack-ai
    sklearn      SummandVectorizer                                               scikit-learn
    chroma       SummandEmbeddingFunction                                        chromadb
    lancedb      SummandEmbeddings                                               lancedb

Importing one of them imports its library; importing this package imports none. The vectors have the same bits as those of
summand.Encoder."""
